"""What must hold in every set of manifests, however it was made: faults(objects, namespace) yields what doesn't."""
import base64
import re

from render import (COMMANDS_TO_COME, FLAGS_TO_COME, known_commands, known_flags, of_kind, only, pod_specs, server)
from restricted import pod_faults

WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
SEVERAL = {"--client-name"}
CLUSTERWIDE = {"ClusterRole", "ClusterRoleBinding", "Namespace", *WEBHOOKS}
BUILT_IN = {"v1", "apps/v1", "rbac.authorization.k8s.io/v1", "admissionregistration.k8s.io/v1", "policy/v1",
            "autoscaling/v2", "networking.k8s.io/v1", "coordination.k8s.io/v1"}


def flags(container):
    """(flag, value) of the container's arguments after the command."""
    return [tuple(word.partition("=")[::2]) for word in container["args"][1:]]


def matches(selector, labels):
    return selector["matchLabels"].items() <= labels.items()


def args_faults(found):
    for _, _, spec in pod_specs(found):
        container = spec["containers"][0]
        if container["args"][0] not in known_commands() | COMMANDS_TO_COME:
            yield f"{container['args'][0]} is no command of fluxhook"
    container = server(found)
    given = [name for name, _ in flags(container)]
    for name in sorted(set(given) - known_flags() - FLAGS_TO_COME):
        yield f"{name} is no flag of fluxhook serve"
    for name in sorted(set(given) - SEVERAL):
        if given.count(name) > 1:
            yield f"{name} is given twice"
    values = dict(flags(container))
    if ("--tls-self-managed" in values) == ("--tls-cert" in values) or ("--tls-cert" in values) != ("--tls-key" in values):
        yield "not exactly one source of the certificate"
    mounts = [mount["mountPath"] + "/" for mount in container.get("volumeMounts", [])]
    for name in ("--tls-cert", "--tls-key", "--client-ca"):
        if name in values and not values[name].startswith(tuple(mounts)):
            yield f"{name}={values[name]} is on no volume"


def pod_spec_faults(found):
    for name, _, spec in pod_specs(found):
        for fault in pod_faults(spec):
            yield f"{name}: {fault}"
        volumes = {volume["name"] for volume in spec.get("volumes", [])}
        mounts = {mount["name"] for each in spec["containers"] for mount in each.get("volumeMounts", [])}
        for volume in sorted(volumes ^ mounts):
            yield f"{name}: {volume} is only a volume, or only a mount"
    container = server(found)
    ports = {port["name"] for port in container["ports"]}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        if container[probe]["httpGet"]["port"] not in ports:
            yield f"{probe}: no such port"
    drain = re.fullmatch(r"(\d+)(ms|s|m)?", dict(flags(container))["--drain-timeout"])
    seconds = int(drain[1]) * {"ms": 0.001, "m": 60}.get(drain[2], 1)
    if only(found, "Deployment")["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] <= seconds:
        yield "pods are killed while they drain"


def selector_faults(found):
    """Selectors reach the server's pods, or its Service, and no pod of a test."""
    deployment, service = only(found, "Deployment"), only(found, "Service")
    selectors = {"Service": {"matchLabels": service["spec"]["selector"]}, "Deployment": deployment["spec"]["selector"]}
    for each in of_kind(found, "PodDisruptionBudget"):
        selectors[each["kind"]] = each["spec"]["selector"]
    for each in of_kind(found, "NetworkPolicy"):
        selectors[each["kind"]] = each["spec"]["podSelector"]
    for kind, selector in selectors.items():
        for name, labels, _ in pod_specs(found):
            if matches(selector, labels) != (name == deployment["metadata"]["name"]):
                yield f"{kind}: its selector takes the wrong pods"
    for each in of_kind(found, "ServiceMonitor"):
        if not matches(each["spec"]["selector"], service["metadata"]["labels"]):
            yield "ServiceMonitor: its selector doesn't take the Service"
    ports = {port["name"] for port in server(found)["ports"]}
    if not {port["targetPort"] for port in service["spec"]["ports"]} <= ports:
        yield "Service: no such port"


def webhook_faults(found, namespace):
    service = only(found, "Service")
    for kind in WEBHOOKS:
        configuration = only(found, kind)
        name, webhook = configuration["metadata"]["name"], configuration["webhooks"][0]
        if name >= "jobset":
            yield f"{kind}: {name} sorts after jobset"
        client = webhook["clientConfig"]
        if (client["service"]["name"], client["service"]["namespace"]) != (service["metadata"]["name"], namespace):
            yield f"{kind}: calls another Service"
        if client["service"]["port"] not in [port["port"] for port in service["spec"]["ports"]]:
            yield f"{kind}: calls another port"
        if "caBundle" in client and b"BEGIN CERTIFICATE" not in base64.b64decode(client["caBundle"] or ""):
            yield f"{kind}: the caBundle is no certificate"
        if namespace not in webhook["namespaceSelector"]["matchExpressions"][0]["values"]:
            yield f"{kind}: its own namespace isn't left out"
        if webhook["objectSelector"]["matchExpressions"][0]["key"] != dict(flags(server(found)))["--label"]:
            yield f"{kind}: selects by another label than the server"
        if webhook["sideEffects"] != "None" or not webhook["matchConditions"]:
            yield f"{kind}: side effects, or no condition"


def rbac_faults(found):
    for role in of_kind(found, "ClusterRole", "Role"):
        for rule in role["rules"]:
            if "*" in rule["verbs"] + rule["resources"] + rule["apiGroups"]:
                yield f"{role['kind']}: a wildcard"
            if "secrets" in rule["resources"] and "resourceNames" not in rule and rule["verbs"] != ["create"]:
                yield f"{role['kind']}: more than create on all Secrets"
            if "secrets" in rule["resources"] and role["kind"] == "ClusterRole" and rule["verbs"] != ["create"]:
                yield "ClusterRole: more than create on Secrets"
    accounts = {each["metadata"]["name"] for each in of_kind(found, "ServiceAccount")}
    roles = {(each["kind"], each["metadata"]["name"]) for each in of_kind(found, "ClusterRole", "Role")}
    for binding in of_kind(found, "ClusterRoleBinding", "RoleBinding"):
        if (binding["roleRef"]["kind"], binding["roleRef"]["name"]) not in roles:
            yield f"{binding['kind']}: of a role that isn't there"
        if binding["subjects"][0]["name"] not in accounts:
            yield f"{binding['kind']}: for an account that isn't there"


def needs_api(found):
    values = dict(flags(server(found)))
    return "--tls-self-managed" in values or values["--controller"] == "on"


def token_faults(found):
    mounted = only(found, "Deployment")["spec"]["template"]["spec"]["automountServiceAccountToken"]
    if mounted != needs_api(found):
        yield f"a token is {'' if mounted else 'not '}mounted"


def place_faults(found, namespace):
    seen = set()
    for each in found:
        place = each["metadata"].get("namespace")
        hook = "helm.sh/hook" in each["metadata"].get("annotations", {})
        if each["kind"] in CLUSTERWIDE and place is not None or each["kind"] not in CLUSTERWIDE and place is None:
            yield f"{each['kind']}: namespace {place}"
        if place not in (None, namespace) and not hook:
            yield f"{each['kind']}: in namespace {place}"
        identity = (each["kind"], place, each["metadata"]["name"])
        if identity in seen:
            yield f"{identity}: twice"
        seen.add(identity)


def state_faults(found):
    """What the server fills in goes with the rest, and an apply writes nothing over its content."""
    values = dict(flags(server(found)))
    name = values.get("--name") or server(found)["metadata"]["name"]
    wanted = {"Lease": name}
    if "--tls-self-managed" in values:
        wanted["Secret"] = f"{name}-tls"
    state = {each["kind"]: each for each in of_kind(found, "Lease", "Secret")}
    names = {kind: each["metadata"]["name"] for kind, each in state.items()}
    if names != wanted:
        yield f"what the server makes is {wanted}, and there is {names}"
    for kind, each in state.items():
        if each.keys() - {"apiVersion", "kind", "metadata"}:
            yield f"{kind}: content would be written over the server's"


def faults(found, namespace):
    yield from args_faults(found)
    yield from pod_spec_faults(found)
    yield from selector_faults(found)
    yield from webhook_faults(found, namespace)
    yield from rbac_faults(found)
    yield from token_faults(found)
    yield from state_faults(found)
    yield from place_faults(found, namespace)
