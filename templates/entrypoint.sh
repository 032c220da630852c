#!/bin/sh
# entrypoint.sh [COMMAND [ARG...]]: PID 1 in every pod of the Flux instance. The lead's broker runs the job, the
# others wait for it. The exit status is the job's, in every pod; 143 when the pod was stopped before the job's
# end; 100 to 106 when Flux can't start here, with a message that says what to do.
# shellcheck disable=SC2317 # functions that only the trap calls
set -u
lead=@LEAD@ nodes=@NODES@ cores=@CORES@ grace=@GRACE@
gpu_affinity=@GPU_AFFINITY@ interactive=@INTERACTIVE@ with_view=@VIEW@
jobset=@JOBSET@ curve_secret=@CURVE_SECRET@ public_key=@PUBLIC_KEY@
groups=@GROUPS@ # lines "PREFIX REPLICAS PODS": the pods are PREFIX-J-I
dir=/mnt/flux/config
socket=local://$dir/run/flux/local
stopped='' pid=''

die() {
    echo "fluxhook: $2" >&2
    [ ! -e /dev/termination-log ] || (echo "fluxhook: $2" >/dev/termination-log) 2>/dev/null
    exit "$1"
}

is_member() { # whether this pod's name is one of the instance's
    # shellcheck disable=SC2086 # three words a line
    set -- $groups
    while [ $# -gt 0 ]; do
        if [ "$1" = "${FLUXHOOK_JOB%-*}" ]; then
            [ "${FLUXHOOK_JOB##*-}" -lt "$2" ] && [ "$JOB_COMPLETION_INDEX" -lt "$3" ]
            return
        fi
        shift 3
    done
    return 1
}

check_name() {
    [ -n "${FLUXHOOK_JOB-}" ] || die 100 "FLUXHOOK_JOB is not set: the pod must have it from its label job-name"
    [ -n "${JOB_COMPLETION_INDEX-}" ] || die 100 "JOB_COMPLETION_INDEX is not set: the Job must be Indexed"
    me=$FLUXHOOK_JOB-$JOB_COMPLETION_INDEX
    is_member 2>/dev/null || die 101 "$me is not among the hosts of the Flux instance ($groups):\
 JobSet $jobset and its ConfigMap differ; recreate the JobSet"
}

machine() { # the kind of processor that an ELF file is for: two bytes of its header
    head -c 20 "$1" | tail -c 2 | tr -d '\000'
}

# Looked at before it is run: a shell takes the program of another processor for a script.
check_flux() {
    if [ $with_view = true ]; then
        view=/mnt/flux/view flux=/mnt/flux/view/bin/flux elf=$(printf '\177ELF')
        [ -e /mnt/flux/.installed ] || die 102 "there is no Flux view in /mnt/flux: the init container\
 flux-installer did not run to its end"
        [ -x "$flux" ] || die 102 "$flux leads nowhere: view-image is not a Flux view, or\
 /opt/software is not the volume that flux-installer filled"
        if [ "$(head -c 4 "$flux")" = "$elf" ] && [ "$(machine "$flux")" != "$(machine /bin/sh)" ]; then
            die 103 "the Flux view is for another processor than this image ($(uname -m)): set the annotation\
 flux-framework.org/view-image to a view for it"
        fi
    else
        view='' flux=$(command -v flux) || die 102 "view-image is none, and there is no flux on the PATH: $PATH"
    fi
    version=$("$flux" version 2>&1) || die 103 "Flux does not run in this image: its C library is another one or\
 too old for it (musl can't be used; set the annotation flux-framework.org/view-image to a view built for this\
 distribution): $version"
}

certified_key() { # the value of public-key in the certificate
    while IFS=' 	=' read -r name value || [ -n "$name" ]; do
        [ "$name" = public-key ] || continue
        value=${value#[\"\']}
        echo "${value%%[\"\']*}"
        return 0
    done </curve/curve.cert
    return 1
}

check_certificate() {
    (: </curve/curve.cert) 2>/dev/null || die 104 "/curve/curve.cert is missing, or uid $(id -u) cannot read it: the\
 Secret $curve_secret must have the key curve.cert"
    key=$(certified_key) || die 104 "/curve/curve.cert has no public-key: the Secret $curve_secret must hold a\
 certificate as flux keygen writes it"
    [ -z "$public_key" ] || [ "$key" = "$public_key" ] || die 105 "the Secret $curve_secret holds another\
 certificate than this JobSet's: it is of an earlier JobSet named $jobset, or somebody else's. Delete the Secret\
 and recreate the JobSet"
}

chance() { # a number from 0 to $1 - 1: followers do not ask all at once
    random=$(od -An -N2 -tu2 /dev/urandom 2>/dev/null) || random=$JOB_COMPLETION_INDEX
    echo $((random % $1))
}

# A follower asks after its lead, for 5 s: whose lead is gone hangs for ever, even at SIGTERM.
ask() {
    FLUX_URI=$socket "$flux" ping --rank=0 --count=1 broker &
    ping=$!
    (sleep 5; kill -KILL $ping) &
    timer=$!
    wait $ping
    set -- $?
    kill $timer
    return "$1"
}

# Every follower asks now and then, all of them 50 times a second at most. One that never saw its lead waits: the
# lead may come late.
watch_lead() {
    misses=-1 pause=2
    [ $pause -gt $((nodes / 50)) ] || pause=$((nodes / 50))
    while sleep $((pause / 2 + $(chance $pause))); do
        if ask >/dev/null 2>&1; then
            misses=0
            [ $pause -ge 20 ] || pause=20
        elif [ $misses -ge 0 ]; then
            misses=$((misses + 1))
            [ $misses -lt 3 ] || break
        fi
    done
    echo "fluxhook: $lead does not answer" >&2
    kill -KILL "$pid"
}

# Once, since each time is another SIGTERM to the tasks; again for a job that was still on its way.
cancel() {
    for _ in 1 2 3 4 5; do
        case $(FLUX_URI=$socket "$flux" cancel --all 2>&1) in *'Matched 0 jobs'*) sleep 1 ;; *) return ;; esac
    done
}

ask_once() {
    pause=$(chance $((nodes / 50 + 1)))
    [ "$pause" -lt "$grace" ] || return 0
    sleep "$pause"
    ask || kill -KILL "$pid"
}

# The lead cancels the job (SIGTERM to its tasks), and its end ends the instance, followers too: one that left at
# once would take its tasks away and keep the lead waiting. What is still there later is killed.
end() {
    trap - TERM INT QUIT
    if [ "$me" != "$lead" ]; then
        ask_once &
    elif [ -e "$dir/running" ]; then
        cancel &
    elif [ "$interactive" = true ]; then # nobody else tells the followers that this is no "flux shutdown"
        { FLUX_URI=$socket "$flux" exec -r all /bin/sh -c "echo 143 >$dir/status"; kill -TERM "$pid"; } &
    else
        kill -TERM "$pid"
    fi
    sleep "$grace"
    kill -TERM "$pid"
    sleep 3
    kill -KILL "$pid"
}

# Asks no exit status: dash and busybox give a wrong one where a second signal interrupts the trap of the first.
stop() {
    case $pid/$stopped in
        /*) exit 143 ;;
        */) stopped=yes; (: >"$dir/stopping"); end >/dev/null 2>&1 & ;;
    esac
}

# Flux wants directories of its own, and a certificate that nobody else can read.
prepare_files() {
    mkdir -p "$dir/run/flux" "$dir/bin" /mnt/flux/tmp
    rm -f "$dir/running" "$dir/stopping" "$dir/status" "$dir/curve.cert"
    (umask 077 && cat /curve/curve.cert >"$dir/curve.cert") || die 106 "/mnt/flux cannot be written by uid $(id -u)"
    printf '%s\n' "export PATH=\"\$PATH:$dir/bin\"" "export FLUX_URI=$socket" "export fluxsocket=$socket" \
        >/mnt/flux/flux-view.sh
}

# What an image may lack: Flux (but not its Python) and bash (for rc1) on the PATH, a writable /tmp and /var/tmp.
prepare_environment() {
    [ -z "$view" ] || ln -sf "$flux" "$dir/bin/flux"
    if ! command -v bash >/dev/null; then # no link: busybox goes by the name that it is called by
        printf '%s\n' '#!/bin/sh' 'exec /bin/sh "$@"' >"$dir/bin/bash" && chmod 755 "$dir/bin/bash"
    fi
    [ -x "${SHELL:-/bin/bash}" ] || export SHELL=/bin/sh
    export PATH="$PATH:$dir/bin"
    # Flux uses both. Tried, since busybox asks the mode, which knows no read-only file system.
    for tmp in "${TMPDIR:-/tmp}/.fluxhook.$$" "${TMPDIR:-/var/tmp}/.fluxhook.$$"; do
        if (: >"$tmp") 2>/dev/null; then rm -f "$tmp"; else export TMPDIR=/mnt/flux/tmp; fi
    done
    # hostNetwork, setHostnameAsFQDN: before flux-core 0.82 told so
    [ "$(uname -n)" = "$me" ] || export FLUX_FAKE_HOSTNAME="$me"
}

# Fluxion and the PMIx plugin lie in the view, not where flux-core was built to look.
find_plugins() {
    if [ -n "$view" ]; then
        export FLUX_MODULE_PATH="$view/lib/flux/modules"
        export FLUX_MODPROBE_PATH_APPEND="$view/etc/flux/modprobe"
        export FLUX_RC_EXTRA="$view/etc/flux" # the same before flux-modprobe
        plugins=$view/lib/flux/shell/plugins rc=$view/etc/flux/shell
    else
        plugins=$("$flux" config builtin shell_pluginpath) rc=$("$flux" config builtin shell_initrc)
        rc=${rc%/*}
    fi
}

# Defaults of every job, also of one that a user starts by hand, as lines of "OPTION VALUE". Cores have the numbers
# from 0 in every pod: binding to them is right only in a pod that has all the cores it sees.
write_options() {
    pmi=@PMI@
    if [ "$pmi" = auto ]; then
        pmi=simple
        for file in "${plugins%%:*}"/*pmix.so; do [ ! -e "$file" ] || pmi=simple,pmix; done
    fi
    affinity=off
    [ "$(unset OMP_NUM_THREADS OMP_THREAD_LIMIT; nproc)" != "$cores" ] || affinity=on
    printf '%s %s\n' pmi "$pmi" cpu-affinity $affinity gpu-affinity $gpu_affinity >"$dir/options"
}

# What every job's shell does. Flux gives all tasks the lead's environment: what is each pod's own is read again
# where no quoting can spoil it, in the environment that the container was started with.
write_shell_lua() {
    printf '%s\n' FLUXHOOK_JOB JOB_COMPLETION_INDEX HOSTNAME @POD_ENV@ >"$dir/pod-env"
    ln -sfn "$rc/lua.d" "$dir/lua.d" # looked up beside shell.lua
    cat >"$dir/shell.lua" <<END
for line in io.lines ("$dir/options") do
    local name, value = line:match ("^(%S+) (.*)")
    if shell.options[name] == nil then shell.options[name] = value end
end

local own = {}
for name, value in assert (io.open ("/proc/$$/environ", "rb")):read ("*a"):gmatch ("([^%z=]+)=([^%z]*)") do
    own[name] = value
end
local function restore (name)
    if own[name] then shell.setenv (name, own[name]) else shell.unsetenv (name) end
end
for name in io.lines ("$dir/pod-env") do restore (name) end
for name in pairs (own) do
    if not name:match ("^[%a_][%w_]*\$") then restore (name) end -- sh does not hand it on
end
if shell.getenv ("FLUX_FAKE_HOSTNAME") then shell.setenv ("FLUX_FAKE_HOSTNAME", "$me") end

local function of_user (list, separator) -- without the view's folders, which flux adds
    local kept = {}
    for entry in (list .. separator):gmatch ("([^" .. separator .. "]*)" .. separator) do
        if not (entry:match ("^/opt/software/") or entry:match ("^/mnt/flux/view/")) then kept[#kept + 1] = entry end
    end
    return table.concat (kept, separator)
end
for name in ("$held_back"):gmatch ("%S+") do
    local value = of_user (shell.getenv (name) or "", name:match ("^LUA") and ";" or ":")
    if value:match ("[^:;]") then shell.setenv (name, value) else restore (name) end -- typed by hand, or the pod's
end
if "$held_back" ~= "" then shell.setenv ("PATH", of_user (shell.getenv ("PATH") or "", ":")) end
if shell.getenv ("LC_CTYPE") == "C.UTF-8" then restore ("LC_CTYPE") end -- Python's doing

source ("$rc/initrc.lua")
END
}

trap stop TERM INT QUIT
PATH=${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
check_name
# What can break Flux, its Python and Lua, or is set by it, does not reach the broker, and is given back to the tasks.
held_back=
[ $with_view = false ] || held_back='PYTHONPATH PYTHONHOME LUA_PATH LUA_CPATH LD_LIBRARY_PATH LD_PRELOAD MANPATH'
for name in $held_back; do unset "$name"; done
check_flux
check_certificate
prepare_files
prepare_environment
find_plugins
write_options
write_shell_lua

if [ "$me" != "$lead" ]; then
    set --
elif [ $interactive = true ]; then
    set -- -Sbroker.rc2_none=1
else
    set -- /bin/sh /etc/flux-config/job.sh "$flux" "$@"
fi
[ -z "${FLUX_FAKE_HOSTNAME-}" ] || set -- "-Shostname=$me" "$@"
"$flux" broker --config-path=/etc/flux-config \
    "-Srundir=$dir/run/flux" "-Slocal-uri=$socket" \
    "-Sconf.shell_pluginpath=$plugins" "-Sconf.shell_initrc=$dir/shell.lua" \
    "-Stbon.connect_timeout="@CONNECT_TIMEOUT@ -Slog-stderr-level=@LOG_LEVEL@ -Slog-stderr-mode=local "$@" &
pid=$!
[ "$me" = "$lead" ] || (trap - TERM INT QUIT && watch_lead) &

while wait "$pid"; status=$?; kill -0 "$pid" 2>/dev/null; do :; done
if [ "$me" != "$lead" ]; then
    if [ "$status" -eq 0 ]; then # so it ends also when its lead was stopped, and then tells nothing
        untold=143
        [ $interactive = false ] || untold=0 # flux shutdown
        read -r status 2>/dev/null <"$dir/status" || status=$untold
    fi
    # The lead first: a failed Job's running pods are deleted, and the job's output is in the lead's.
    if [ -z "$stopped" ] && [ "$status" -ne 0 ]; then
        sleep 5 &
        wait $!
    fi
fi
[ -z "$stopped" ] || status=143
exit "$status"
