"""What a job's tasks get: shell.lua, run by real Lua with a shell table as flux-shell gives it."""
import glob
import os

from harness import Failure, Pods, both, equal, image, shells, write

MOCK = """
local job = {}
for line in io.lines ("/mnt/flux/test/job.env") do
    local name, value = line:match ("^([^=]+)=(.*)$")
    job[name] = (value:gsub ("\\\\n", "\\n"))
end
shell = {
    options = {@OPTIONS@},
    getenv = function (name) return job[name] end,
    setenv = function (name, value) assert (type (value) == "string"); job[name] = value end,
    unsetenv = function (name) job[name] = nil end,
}
function source (file) sourced = file end
dofile ("/mnt/flux/config/shell.lua")
local out = io.open ("/mnt/flux/record/lua.env", "wb")
for name, value in pairs (job) do out:write (name, "=", value, "\\0") end
for name, value in pairs (shell.options) do out:write ("option ", name, "=", value, "\\0") end
out:write ("sourced=", sourced, "\\0")
"""
HOSTILE = "a\nb ]] ]==] \"' \\ \\n %s %d {{id}} $x `y` ü \x01"


def interpreters():
    """The real Lua, oldest and newest that Flux is built with."""
    found = [path for version in ("5.1", "5.4") for path in glob.glob(f"/usr/bin/lua{version}")]
    if len(found) != 2:
        raise Failure("lua5.1 and lua5.4 are missing: scripts/setup --test installs them")
    return found


def job_environment(scratch, job, pod, values=None, options=""):
    """The tasks' environment for each Lua: JOB is what flux run hands on from the lead, POD this pod's own."""
    results = []
    for lua in interpreters():
        pods = Pods(scratch, size=1, values=values)
        write(pods.volume(0) + "/test/mock.lua", MOCK.replace("@OPTIONS@", options))
        write(pods.volume(0) + "/test/job.env", "".join(f"{name}={value}\n" for name, value in job.items()))
        pods.start(lua, "/mnt/flux/test/mock.lua", environ=pod).expect(0)
        results.append(pods.env(0, "lua"))
    equal("what the versions of Lua make of it", results[0], results[1])
    return results[0]


def case_each_pod_has_its_own_values(scratch):
    job = {"JOB_COMPLETION_INDEX": "7", "FLUXHOOK_JOB": "lead", "HOSTNAME": "lead", "MY_NODE": "lead's", "GONE": "lead's",
           "LITERAL": "lead's", "FLUX_FAKE_HOSTNAME": "lead"}
    pod = {"MY_NODE": HOSTILE, "LITERAL": "pod's", "odd.name": HOSTILE, "odd-er!": "", "it's \"]]\\": "x"}
    seen = job_environment(scratch, job, pod, {"POD_ENV": ["MY_NODE", "GONE", "it's \"]]\\", "FLUXHOOK_JOB"]})
    wanted = {"JOB_COMPLETION_INDEX": "0", "FLUXHOOK_JOB": "js-node-0", "HOSTNAME": "js-node-0-0", "MY_NODE": HOSTILE,
              "GONE": None, "LITERAL": "lead's", "odd.name": HOSTILE, "odd-er!": "", "it's \"]]\\": "x",
              "FLUX_FAKE_HOSTNAME": "js-node-0-0"}
    equal("the tasks' environment", {name: seen.get(name) for name in wanted}, wanted)


def case_what_was_held_back_is_given_back(scratch):
    pod = {"PYTHONPATH": "/users/python:/more", "PYTHONHOME": "/users", "LUA_PATH": "/u/?.lua;;", "LUA_CPATH": HOSTILE,
           "LD_LIBRARY_PATH": "/users/lib", "MANPATH": ":/users/man"}
    view = "/opt/software/flux-core-0.58.0"
    job = {"PYTHONPATH": view + "/lib/flux/python3.10:/mnt/flux/view/lib/python3.10/site-packages",
           "LUA_PATH": view + "/share/lua/5.3/?.lua;;;", "LUA_CPATH": view + "/lib/lua/5.3/?.so;;;",
           "MANPATH": view + "/share/man:", "LC_CTYPE": "C.UTF-8"}
    job["PATH"] = f"/usr/bin::{view}/bin:/mnt/flux/config/bin"
    for own in (pod, {}):
        seen = job_environment(scratch, job, {"PATH": "/usr/bin", **own})
        equal("the tasks' environment", {name: seen.get(name) for name in pod}, {name: own.get(name) for name in pod})
        equal("PATH", seen["PATH"], "/usr/bin::/mnt/flux/config/bin")
        equal("LC_CTYPE", seen.get("LC_CTYPE"), None)


def case_what_was_typed_by_hand_is_kept(scratch):
    job = {"PYTHONPATH": "/opt/software/x/lib:/typed", "LD_LIBRARY_PATH": "/typed/lib", "LUA_PATH": "/typed/?.lua;;",
           "LC_CTYPE": "de_DE.UTF-8"}
    seen = job_environment(scratch, job, {"PYTHONPATH": "/pods", "LD_LIBRARY_PATH": "/pods"})
    equal("PYTHONPATH", seen["PYTHONPATH"], "/typed")
    equal("LD_LIBRARY_PATH", seen["LD_LIBRARY_PATH"], "/typed/lib")
    equal("LUA_PATH", seen["LUA_PATH"], "/typed/?.lua;;")
    equal("LC_CTYPE", seen["LC_CTYPE"], "de_DE.UTF-8")


def case_options_are_defaults(scratch):
    seen = job_environment(scratch, {}, {}, {"GPU_AFFINITY": "on"})
    equal("options", {name: value for name, value in seen.items() if name.startswith("option ")},
          {"option pmi": "simple", "option cpu-affinity": "off", "option gpu-affinity": "on"})
    equal("sourced", seen["sourced"], "/mnt/flux/view/etc/flux/shell/initrc.lua")
    seen = job_environment(scratch, {}, {}, options='pmi = "pmi2", ["cpu-affinity"] = "per-task"')
    equal("pmi", seen["option pmi"], "pmi2")
    equal("cpu-affinity", seen["option cpu-affinity"], "per-task")
    equal("gpu-affinity", seen["option gpu-affinity"], "off")


def case_a_hostile_pmi_stays_a_value(scratch):
    for value in ("x\" end os.exit (1) --", "]]", "$(exit 1)", "a b c"):
        seen = job_environment(scratch, {}, {}, {"PMI": value})
        equal("pmi", seen["option pmi"], value)


@both
def case_pmix_is_offered_where_the_view_has_it(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell))
    write(pods.volume(0) + "/view/lib/flux/shell/plugins/pmix.so", "")
    pods.start("task").expect(0)
    equal("options", pods.read(0, "config/options"), "pmi simple,pmix\ncpu-affinity off\ngpu-affinity off\n")


@both
def case_tasks_are_bound_where_the_pod_has_all_its_cores(scratch, shell):
    cores = len(os.sched_getaffinity(0))
    for given, wanted in ((cores, "on"), (cores + 1, "off")):
        pods = Pods(scratch, size=1, values={"CORES": given}, APP=image(scratch, shell))
        pods.start("task", environ={"OMP_NUM_THREADS": str(cores + 1), "OMP_THREAD_LIMIT": "1"}).expect(0)
        equal("options", pods.read(0, "config/options"), f"pmi simple\ncpu-affinity {wanted}\ngpu-affinity off\n")


@shells("dash")
def case_the_lua_of_the_view_is_found_beside_ours(scratch, shell):
    pods = Pods(scratch, size=1, APP=image(scratch, shell)).start("task")
    pods.expect(0)
    equal("lua.d", os.readlink(pods.volume(0) + "/config/lua.d"), "/mnt/flux/view/etc/flux/shell/lua.d")
