"""The Pod Security Standard `restricted` (kubernetes.io, Pod Security Standards), and what we ask for besides."""

VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}


def pod_faults(spec):
    """Why a pod spec isn't restricted."""
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(field):
            yield f"{field} is true"
    for volume in spec.get("volumes", []):
        for kind in volume.keys() - {"name"} - VOLUMES:
            yield f"volume {volume['name']} is a {kind}"
    pod = spec.get("securityContext", {})
    for container in spec.get("initContainers", []) + spec["containers"]:
        for fault in container_faults(container, pod):
            yield f"container {container['name']}: {fault}"


def container_faults(container, pod):
    own = container.get("securityContext", {})
    both = {**pod, **own}
    if own.get("privileged"):
        yield "privileged"
    if own.get("allowPrivilegeEscalation") is not False:
        yield "allowPrivilegeEscalation is not false"
    capabilities = own.get("capabilities", {})
    if "ALL" not in capabilities.get("drop", []):
        yield "capabilities are not dropped"
    if set(capabilities.get("add", [])) - {"NET_BIND_SERVICE"}:
        yield "capabilities are added"
    if both.get("runAsNonRoot") is not True:
        yield "runAsNonRoot is not true"
    if both.get("runAsUser") == 0:
        yield "runs as root"
    if both.get("seccompProfile", {}).get("type") not in ("RuntimeDefault", "Localhost"):
        yield "no seccomp profile"
    if any(port.get("hostPort") for port in container.get("ports", [])):
        yield "a hostPort"
    # Ours, not the standard's:
    if own.get("readOnlyRootFilesystem") is not True:
        yield "the root file system is writable"
    resources = container.get("resources", {})
    if not {"cpu", "memory"} <= resources.get("requests", {}).keys() or "memory" not in resources.get("limits", {}):
        yield "resources are missing"
