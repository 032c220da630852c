#include "cli/completion.h"

namespace fluxhook::cli {

namespace {

// bash hands over --flag=value as three words, and replaces the last one.
constexpr std::string_view kBash =
    R"sh(# fluxhook's words for bash: `fluxhook completion bash` made it, the program itself answers.
_fluxhook() {
  local program=${1/#\~\//$HOME/} word words=() joined='' current=${COMP_WORDS[COMP_CWORD]} line lines
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ ${#words[@]} -gt 0 && ( $word == = || $joined ) ]]; then
      words[${#words[@]}-1]+=$word
      [[ $word == = ]] && joined=1 || joined=''
    else
      words+=("$word")
    fi
  done
  [[ $current != = ]] || current=''
  mapfile -t lines < <("$program" __complete "${words[@]}" 2>/dev/null)
  [[ ${#lines[@]} -gt 0 ]] || return 0
  local kind=${lines[-1]}
  unset 'lines[-1]'
  COMPREPLY=()
  case $kind in
    :4)
      for line in "${lines[@]}"; do
        line=${line%%$'\t'*}
        [[ ${words[-1]} == "${COMP_WORDS[COMP_CWORD]}" ]] || line=${line#*=}
        COMPREPLY+=("$line")
      done ;;
    :16) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    :0) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    :8)
      compopt -o filenames
      while IFS= read -r word; do
        for line in "${lines[@]}"; do
          if [[ -d $word || $word == *."$line" ]]; then COMPREPLY+=("$word"); break; fi
        done
      done < <(compgen -f -- "$current") ;;
  esac
}
complete -F _fluxhook fluxhook
)sh";

constexpr std::string_view kZsh = R"sh(#compdef fluxhook
# fluxhook's words for zsh: `fluxhook completion zsh` made it, the program itself answers.
_fluxhook() {
  local -a lines candidates
  local line kind
  lines=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  kind=$lines[-1]
  lines=("${(@)lines[1,-2]}")
  [[ $kind == :4 || $PREFIX != -*=* ]] || compset -P '*='
  case $kind in
    :4)
      for line in $lines; do
        if [[ $line == *$'\t'* ]]; then
          candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        else
          candidates+=("${line//:/\\:}")
        fi
      done
      _describe -t words fluxhook candidates ;;
    :8) _files -g "*.(${(j:|:)lines})" ;;
    :16) _files -/ ;;
    :0) _files ;;
  esac
}
if [[ $funcstack[1] == _fluxhook ]]; then _fluxhook "$@"; else compdef _fluxhook fluxhook; fi
)sh";

constexpr std::string_view kFish =
    R"sh(# fluxhook's words for fish: `fluxhook completion fish` made it, the program itself answers.
function __fluxhook_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..] "$current" 2>/dev/null)
    set -q lines[1]; or return
    set -l kind $lines[-1]
    set -e lines[-1]
    set -l before ''
    if string match -qr '^-[^=]*=' -- $current; and test $kind != :4
        set before (string replace -r '=.*' '=' -- $current)
        set current (string replace -r '^[^=]*=' '' -- $current)
    end
    switch $kind
        case :4
            printf '%s\n' $lines
        case :16
            __fish_complete_directories "$current" '' | string replace -r '^' -- $before
        case :0
            __fish_complete_path "$current" | string replace -r '^' -- $before
        case :8
            __fish_complete_path "$current" | string match -r '^(?:[^\t]*/|[^\t]*\.(?:'(string join '|' $lines)'))(?:\t.*)?$'
    end
end
complete -c fluxhook -f -a '(__fluxhook_complete)'
)sh";

} // namespace

std::string completion_script(std::string_view shell) {
  return std::string(shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish);
}

} // namespace fluxhook::cli
