#!/bin/sh
# job.sh FLUX COMMAND [ARG...]: the lead's initial program. It runs the job, then tells every pod its status: a
# broker ends with 0 also when its lead was stopped, and a pod that did not hear of the job's end must not count
# as a success.
set -u
dir=/mnt/flux/config
flux=$1
shift
: >"$dir/running"

# word TEXT: TEXT as a quoted word of sh in which no two braces meet, in $quoted
word() {
    quoted='' rest=$1
    while [ -n "$rest" ]; do
        plain=${rest%%[\'\{]*}
        quoted=$quoted$plain rest=${rest#"$plain"}
        case $rest in
            \'*) quoted="$quoted'\\''" rest=${rest#\'} ;;
            \{*) quoted="$quoted{''" rest=${rest#\{} ;;
        esac
    done
    quoted="'$quoted'"
}

# Flux must hand the command on as it is. Its shell replaces {{name}} in words: hide them from it. flux run
# takes options after the command for its own where they look like two of them, and "--" ends that only since
# 0.66; env's own "--" does the same before.
braces='' script=exec
for arg; do
    case $arg in *'{{'*) braces=yes ;; esac
done
if [ -n "$braces" ]; then
    for arg; do
        word "$arg"
        script="$script $quoted"
    done
    set -- /bin/sh -c "$script"
fi
version=$("$flux" version | { read -r _ version && echo "$version"; })
case $version in
    0.[0-9].* | 0.[0-5][0-9].* | 0.6[0-5].*) set -- env -- "$@" ;;
    *) set -- -- "$@" ;;
esac

status=143
if [ ! -e "$dir/stopping" ]; then
    "$flux" run @RUN@ "$@"
    status=$?
fi
[ ! -e "$dir/stopping" ] || status=143 # also where the tasks ended well when they were told to stop
"$flux" exec -r all /bin/sh -c "echo $status >$dir/status" &
told=$!
(sleep 10; kill "$told") >/dev/null 2>&1 &
wait "$told"
exit "$status"
