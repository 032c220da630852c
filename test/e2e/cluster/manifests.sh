# The manifests of JobSet, Kueue and Trainer as their modules have them: sourced by ./up and ./load after settings.sh.
# shellcheck shell=bash

manifests=$PWD/build/e2e/manifests

# folder MODULE PATH: where Go keeps the module PATH that ../modules/MODULE pins
folder() {
  go -C "test/e2e/modules/$1" mod download "$2" || fail "Go can't get $2: see above"
  go -C "test/e2e/modules/$1" list -m -f '{{.Dir}}' "$2"
}

# render NAME FOLDER: the images are in the nodes already, and no registry has them. All run beside the control plane, so
# that node2 can be lost without them.
render() {
  kubectl kustomize "$2" 2>"$manifests/kustomize.log" |
    sed -e 's/imagePullPolicy: Always/imagePullPolicy: IfNotPresent/' \
      -e 's/^      containers:$/      nodeSelector: {kubernetes.io\/hostname: node1}\n&/' >"$manifests/$1.yaml~" ||
    fail "kubectl can't render $1's manifests: $(<"$manifests/kustomize.log")"
  # what is the same keeps its time: images are made anew by it
  if cmp -s "$manifests/$1.yaml~" "$manifests/$1.yaml"; then rm "$manifests/$1.yaml~"
  else mv "$manifests/$1.yaml~" "$manifests/$1.yaml"; fi
}

render_all() {
  local jobset kueue trainer
  jobset=$(folder jobset sigs.k8s.io/jobset)
  kueue=$(folder kueue-trainer sigs.k8s.io/kueue)
  trainer=$(folder kueue-trainer github.com/kubeflow/trainer/v2)
  mkdir -p "$manifests"
  render jobset "$jobset/config/default"
  render kueue "$kueue/config/default"
  # Trainer's own would bring a JobSet along, over the network
  rm -rf "$manifests/trainer"
  cp -r --no-preserve=mode "$trainer/manifests" "$manifests/trainer"
  sed -i '/third-party/d' "$manifests/trainer/overlays/manager/kustomization.yaml"
  render trainer "$manifests/trainer/overlays/manager"
  rm -rf "$manifests/trainer"
}
