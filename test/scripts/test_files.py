"""The templates themselves: their placeholders, their languages, and that no value breaks out."""
import os
import subprocess
import tempfile
import tomllib

from harness import BATCH, CONFIG_MAP, KEY, SECRET, equal
from render import TEMPLATES, placeholders, render, table

UID_KEY = ")RF3ktK]n14JJFEeL&Q]V2?T?f7Fzu:xw%DC@ehJ"  # of SHA-256(11111111-2222-3333-4444-555555555555)
UID_SECRET = "w]Ey!S-}N<@&e2A!1<VdmY-hIY%a3a6e.h!*-zqI"
SCRIPTS = ["init.sh", "entrypoint.sh", "job.sh"]
HOSTILE = "' \" $x $(id) `id` \\ \n ]] {{ }} ; & | * ? < > # ! ~ é"
VARIANTS = [{}, {"INTERACTIVE": "true", "VIEW": "false", "GPU_AFFINITY": "on", "POD_ENV": ["A", "B C"], "PUBLIC_KEY": ""},
            {"RUN": [], "POD_ENV": [HOSTILE], "JOBSET": HOSTILE, "LEAD": HOSTILE, "PMI": HOSTILE}]  # fmt: skip


def texts():
    """Each template rendered for each variant: (name, text)."""
    for values in VARIANTS:
        for name in CONFIG_MAP + ["curve.cert"]:
            yield name, render(name, {**BATCH, **values})
    given = os.environ.get("FILES", "")
    for folder in sorted(os.listdir(given)) if given else []:
        for name in CONFIG_MAP + ["curve.cert"]:
            with open(os.path.join(given, folder, name), encoding="utf-8") as file:
                yield name, file.read()


def fails(*command, text):
    """What COMMAND has to say against a file with TEXT, empty when nothing."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([*command, file.name], capture_output=True, text=True)
        return done.stdout + done.stderr if done.returncode else ""


def case_each_placeholder_has_its_row(_):
    names = sorted((name, word) for name in [*CONFIG_MAP, "curve.cert"] for word in placeholders(name))
    equal("placeholders in the templates", names, sorted(table()))


def case_each_exit_status_has_its_row(_):
    with open(os.path.join(TEMPLATES, "README.md"), encoding="utf-8") as page:
        rows = {line.split("|")[1].strip() for line in page if line.startswith("| 10")}
    used = set()
    for name in SCRIPTS:
        used |= {word for word in render(name, BATCH).split() if word.isdigit() and 100 <= int(word) < 110}
    equal("statuses", sorted(used), sorted(rows))


def of_fluxhook(function):
    function.of_fluxhook = True
    return function


@of_fluxhook
def case_fluxhook_renders_as_the_table_says(_):
    for variant, interactive in (("batch", "false"), ("interactive", "true")):
        folder = os.path.join(os.environ["FILES"], variant)
        seen = {}
        for name in [*CONFIG_MAP, "curve.cert"]:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                seen[name] = file.read()
        values = {**BATCH, "CORES": 1, "INTERACTIVE": interactive, "PUBLIC": UID_KEY, "PUBLIC_KEY": UID_KEY,
                  "SECRET": UID_SECRET}
        for name, text in seen.items():
            equal(f"{name} of {variant}", text, render(name, values))


def case_scripts_pass_shellcheck(_):
    for name, text in texts():
        if name.endswith(".sh"):
            # SC2016: the hostile values hold what a shell would expand outside of quotes
            equal(f"shellcheck on {name}", fails("shellcheck", "-s", "sh", "-e", "SC2016", text=text), "")


def case_scripts_are_read_by_dash_and_busybox(_):
    for name, text in texts():
        if name.endswith(".sh"):
            for shell in (["dash"], ["busybox", "sh"], ["bash", "--posix"]):
                equal(f"{shell[0]} -n on {name}", fails(*shell, "-n", text=text), "")


def case_the_configuration_is_toml_with_what_flux_knows(_):
    known = {"access": {"allow-guest-user", "allow-root-owner"}, "resource": {"path", "noverify"},
             "bootstrap": {"curve_cert", "default_port", "default_bind", "default_connect", "hosts"},
             "tbon": {"topo"}, "sched-fluxion-qmanager": {"queue-policy"}, "exec": {"kill-timeout"}}
    for name, text in texts():
        if name == "broker.toml":
            read = tomllib.loads(text)
            equal("tables and keys", {table: set(keys) for table, keys in read.items()}, known)
            equal("the certificate", read["bootstrap"]["curve_cert"], "/mnt/flux/config/curve.cert")
            equal("R", read["resource"], {"path": "/etc/flux-config/R", "noverify": True})


def case_the_certificate_is_zpl(_):
    lines = render("curve.cert", BATCH).splitlines()
    equal("sections and keys", lines, ["metadata", '    name = "js"', "curve", f'    public-key = "{KEY}"',
                                       f'    secret-key = "{SECRET}"'])
