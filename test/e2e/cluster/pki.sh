# Certificates of the cluster, and a kubeconfig for each of its parts: sourced by ./up after settings.sh.
# shellcheck shell=bash disable=SC2154 # settings.sh has the variables

# make NAME SUBJECT ARG...: a key and a certificate; ARG of openssl req
make_pair() {
  local name=$1 subject=$2
  shift 2
  # openssl's own configuration would add extensions
  openssl req -config "$pki/empty.cnf" -x509 -days 3650 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -subj "$subject" -keyout "$pki/$name.key" -out "$pki/$name.crt" "$@" 2>"$state/log/openssl.log" ||
    fail "openssl can't make the certificate $name: $(<"$state/log/openssl.log")"
}

# authority NAME
authority() {
  make_pair "$1" "/CN=$1" -addext basicConstraints=critical,CA:true -addext keyUsage=critical,keyCertSign,cRLSign
}

# client NAME SUBJECT [AUTHORITY]
client() {
  make_pair "$1" "$2" -CA "$pki/${3:-ca}.crt" -CAkey "$pki/${3:-ca}.key" -addext keyUsage=digitalSignature \
    -addext extendedKeyUsage=clientAuth
}

# kubeconfig NAME: for the client of that name
kubeconfig() {
  local file=$state/$1.kubeconfig
  kubectl config --kubeconfig "$file" set-cluster e2e --server "https://$address:6443" --embed-certs \
    --certificate-authority "$pki/ca.crt"
  kubectl config --kubeconfig "$file" set-credentials "$1" --embed-certs --client-certificate "$pki/$1.crt" \
    --client-key "$pki/$1.key"
  kubectl config --kubeconfig "$file" set-context e2e --cluster e2e --user "$1"
  kubectl config --kubeconfig "$file" use-context e2e
}

make_pki() {
  local name number
  printf '[req]\ndistinguished_name = name\n[name]\n' >"$pki/empty.cnf"
  authority ca
  authority front-proxy-ca
  name=DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local
  make_pair apiserver /CN=kube-apiserver -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -addext keyUsage=digitalSignature \
    -addext extendedKeyUsage=serverAuth -addext "subjectAltName=$name,IP:$address,IP:${services%.*}.1"
  client apiserver-kubelet /O=system:masters/CN=kube-apiserver-kubelet
  client front-proxy /CN=front-proxy front-proxy-ca
  client admin /O=system:masters/CN=admin
  for name in kube-controller-manager kube-scheduler kube-proxy; do
    client "$name" "/CN=system:$name"
    kubeconfig "$name" >"$state/log/kubeconfig.log"
  done
  for ((number = 1; number <= nodes; number++)); do
    client "node$number" "/O=system:nodes/CN=system:node:node$number"
    kubeconfig "node$number" >"$state/log/kubeconfig.log"
  done
  kubeconfig admin >"$state/log/kubeconfig.log"
  openssl genrsa -out "$pki/accounts.key" 2048 2>"$state/log/openssl.log"
  openssl rsa -in "$pki/accounts.key" -pubout -out "$pki/accounts.pub" 2>"$state/log/openssl.log"
}
