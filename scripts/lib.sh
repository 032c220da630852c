# What the scripts share, sourced by them: it goes to the top folder of the checkout.
# shellcheck shell=bash

set -euo pipefail
if [[ ${1:-} == --help || ${1:-} == -h ]]; then # the comment at the script's head
  sed -n '2,${/^#/!q; s/^# \{0,1\}//p}' "$0"
  exit
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
me=${0##*/}

# say TEXT...: a line of progress.
say() { printf '%s: %s\n' "$me" "$*" >&2; }

# fail TEXT...: the one line that says what is wrong, and the end.
fail() {
  printf '%s: error: %s\n' "$me" "$*" >&2
  exit 1
}

# configure PRESET: lets CMake prepare build/PRESET
configure() {
  local preset=$1 dir=build/$1
  mkdir -p build 2>/dev/null || fail "can't make build/: this folder belongs to $(stat -c %U .)"
  if [[ ! -w build || (-e $dir && ! -w $dir) ]]; then
    fail "can't write to $dir, which belongs to $(stat -c %U build): remove build/, or be that user"
  fi
  local fresh=() # a folder that was configured elsewhere (a moved checkout) is configured anew
  if [[ -e $dir/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$dir/CMakeCache.txt"; then
    fresh=(--fresh)
  fi
  cmake --preset "$preset" "${fresh[@]}" >"$dir.log" 2>&1 ||
    { cat "$dir.log" >&2; fail "CMake can't configure $dir: see above"; }
}

# build PRESET TARGET...: configures and builds in build/PRESET; with nothing to do it takes a second.
build() {
  local dir=build/$1
  say "building in $dir"
  configure "$1"
  shift
  ninja -C "$dir" -j "$(nproc)" "$@" || fail "the build in $dir failed: see above"
}

# sources: our C++ files, one a line.
sources() { find include src test bench -name '*.h' -o -name '*.cc' | sort; }
