#!/bin/sh
# Copies Flux from the view image into the pod's volumes: once, whole, as any user. A copy that was broken off,
# or is of another view, is made anew: the mark that ends it comes last, and names what was copied.
set -u
umask 022
from=/opt/view software=/opt/software to=/mnt/flux

die() {
    echo "fluxhook: $2" >&2
    [ ! -e /dev/termination-log ] || (echo "fluxhook: $2" >/dev/termination-log) 2>/dev/null
    exit "$1"
}

[ -x $from/bin/flux ] || die 107 "this image has no Flux at $from/bin/flux: is view-image really a Flux view?"
# shellcheck disable=SC2012 # names, sizes and times, for a checksum: another view has others
view=$(ls -nR $from/ $software | sha256sum) || die 107 "$from or $software cannot be listed by uid $(id -u)"
mark=
[ ! -e $to/.installed ] || read -r mark <$to/.installed
[ "$mark" != "$view" ] || exit 0

# clear PATH...: what an earlier copy left, folders without write permission too
clear() {
    rm -rf "$@" 2>/dev/null || { chmod -R u+w "$@" 2>/dev/null; rm -rf "$@"; }
}

# copy FROM TO: times are kept where cp can, since Python's compiled files go by them
copy() {
    cp -RPf --preserve=timestamps "$1/." "$2" 2>/dev/null || cp -RPf "$1/." "$2"
}

rm -f $to/.installed
clear $to/view /mnt/software/* /mnt/software/.[!.]* /mnt/software/..?* || die 108 "an earlier copy cannot be removed"
mkdir $to/view || die 108 "$to cannot be written by uid $(id -u)"
# Links into /opt/software, where the main container finds it.
copy $from $to/view || die 108 "the view could not be copied to $to"
copy $software /mnt/software || die 108 "the view's software could not be copied to /mnt/software"

# Before flux-core 0.77 one script of rc1, plain sh, asks for /bin/bash; the application's image may have none.
cron=$(readlink -f $from/etc/flux/rc1.d/02-cron) || cron=
case $cron in
    $software/*)
        sed -i '1s#/bin/bash#/bin/sh#' "/mnt/software${cron#"$software"}" || die 108 "rc1.d/02-cron cannot be changed"
        ;;
esac

if ! { echo "$view" >$to/.installing && mv $to/.installing $to/.installed; }; then
    die 108 "$to cannot be written by uid $(id -u)"
fi
