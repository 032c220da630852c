# What the cluster's scripts share: they source scripts/lib.sh, then this.
# shellcheck shell=bash disable=SC2034 # for those who source it

bin=$PWD/build/e2e/bin         # programs, see ./build
images=$PWD/build/e2e/images   # archives that every node gets, see ../images/
state=$PWD/build/e2e/cluster   # all that a cluster writes; gone when it is down
pki=$state/pki
export KUBECONFIG=$state/admin.kubeconfig
export KUBECACHEDIR=$state/kubecache # kubectl's default one is by address: the next cluster has the same
cgroup=fluxhook-e2e

# Addresses of 198.18.0.0/15, which no network routes. node1 shares the control plane's network namespace.
network=198.18.0.0/16
address=198.18.0.1      # of the control plane and of node1
services=198.18.8.0/24
dns=198.18.8.10
pods=198.18.16.0/20     # node N has 198.18.(16+N).0/24
nodes=2

# box: the PID of the cluster's first process, empty when there is no cluster
box() {
  local pid
  { read -r pid <"$state/box.pid"; } 2>/dev/null || return 0
  # a PID may be somebody else's by now
  if grep -qsF test/e2e/cluster/box "/proc/$pid/cmdline"; then echo "$pid"; fi
}

# in_box COMMAND...: runs it in the cluster's network, with this machine's files
in_box() {
  local pid
  pid=$(box)
  [[ $pid ]] || fail "there is no cluster: test/e2e/cluster/up starts one"
  nsenter --target "$pid" --net -- "$@"
}

# on_node N COMMAND...: runs it in node N, with its files and its network
on_node() {
  local pid
  pid=$(box)
  [[ $pid ]] || fail "there is no cluster: test/e2e/cluster/up starts one"
  nsenter --target "$pid" --pid --mount -- nsenter --target "$(<"$state/node$1/pid")" --mount --net -- "${@:2}"
}

# await SECONDS WHAT COMMAND...: until the command succeeds; after SECONDS it fails, with its last output
await() {
  local end=$((SECONDS + $1)) what=$2 last
  shift 2
  until last=$("$@" 2>&1); do
    ((SECONDS < end)) || fail "waited in vain for $what: ${last:-no word of it}"
    sleep 0.2
  done
}
