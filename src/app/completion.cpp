// SPDX-License-Identifier: Apache-2.0
// Completion scripts for bash and zsh, whose `case` branches are the tables of commands, options and keys.
#include "completion_tables.hpp"
#include "help.hpp"

namespace tesserec::app {
namespace {

using namespace completion_tables;

// Returns the script for bash. Readline replaces only the text after the last '=' of a word.
std::string bash() {
  const auto name_alone = [](const std::string& name, const std::string&) { return name; };
  return R"(# Completion of tesserec for bash, made by `tesserec describe --completion bash`.
_tesserec() {
  local line=${COMP_LINE:0:COMP_POINT} before word command key files="" argument="" cut="" front="" table=""
  local a_table='^(table|plan\.tables)\.([^.=]+)\.(.*)$'
  local last_word='(\\.|[^[:space:]\\])*$'
  local -a words candidates=() options=() seconds=()
  [[ $line =~ $last_word ]]
  word=${BASH_REMATCH[0]}
  before=${line%"$word"}
  word=${word//\\/}
  read -ra words <<<"$before"
  [[ ${words[1]-} == help ]] && words=("${words[@]:1}")
  command=${words[1]-}
  COMPREPLY=()
  [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && cut=${word%"${word##*=}"}
  case $command in
)" + seconds() +
         R"(  esac
  ((${#seconds[@]} > 0 && ${#words[@]} > 2)) && command+=" ${words[2]}"
  case $command in
)" + commands_text(name_alone) +
         R"(  esac
  if ((${#words[@]} == 1)); then
    candidates=()" +
         command_names(name_alone) + R"()
    [[ $word == -* ]] && candidates=(--help --version)
  elif ((${#seconds[@]} > 0 && ${#words[@]} == 2)); then
    candidates=("${seconds[@]}")
  elif [[ ${words[0]} == help ]]; then
    :
  elif [[ ${words[-1]} == --set || $word == --set=* ]]; then
    [[ $word == --set=* ]] && front=--set=
    key=${word#--set=}
    if [[ $key == *=* ]]; then
      front+=${key%%=*}=
      [[ $key =~ $a_table ]] && key=${BASH_REMATCH[1]}.NAME.${BASH_REMATCH[3]}
      case ${key%%=*} in
)" + key_choices() +
         R"(      esac
    else
      candidates=()" +
         key_names() + R"()
      candidates=("${candidates[@]/%/=}")
      if [[ $key =~ $a_table ]]; then
        table=${BASH_REMATCH[2]}
        candidates=("${candidates[@]/.NAME./.$table.}")
      else
        mapfile -t candidates < <(printf '%s\n' "${candidates[@]/.NAME.*/.}" | sort -u)
      fi
      compopt -o nospace 2>/dev/null
    fi
  elif [[ ${words[-1]} == --* && ${words[-1]} != *=* ]] && _tesserec_value "$command${words[-1]}"; then
    :
  elif [[ $word == --*=* ]] && _tesserec_value "$command${word%%=*}"; then
    front=${word%%=*}=
  elif [[ $word == -* ]]; then
    candidates=("${options[@]}")
  else
    files=$argument
  fi
  word=${word#"$front"}
  case $files in
    deck)
      compopt -o filenames -o plusdirs 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$word")
      ;;
    any)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      ;;
    folders)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      ;;
    list)
      [[ $word == *,* ]] && front+=${word%,*},
      mapfile -t COMPREPLY < <(compgen -W "${candidates[*]}" -- "${word##*,}")
      ;;
    *) mapfile -t COMPREPLY < <(compgen -W "${candidates[*]}" -- "$word") ;;
  esac
  COMPREPLY=("${COMPREPLY[@]/#/$front}")
  COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}

# Is this an option that something follows? Sets files or candidates of its caller.
_tesserec_value() {
  case $1 in
)" + values() +
         R"(    *) return 1 ;;
  esac
}
complete -F _tesserec tesserec
)";
}

std::string zsh() {
  const auto described = [](const std::string& name, const std::string& help) { return name + ":" + help; };
  return R"(#compdef tesserec
# Completion of tesserec for zsh, made by `tesserec describe --completion zsh`.
_tesserec() {
  local help=""
  [[ $words[2] == help ]] && (( CURRENT > 2 )) && help=1 && shift words && (( CURRENT-- ))
  local command=$words[2] last=$words[CURRENT-1] files="" argument=""
  local -a candidates options seconds
  case $command in
)" + seconds() +
         R"(  esac
  (( $#seconds > 0 && CURRENT > 3 )) && command+=" $words[3]"
  case $command in
)" + commands_text(described) +
         R"(  esac
  if (( CURRENT == 2 )); then
    candidates=()" +
         command_names(described) + R"()
    [[ $PREFIX == -* ]] && candidates=(--help --version)
    _describe command candidates
    return
  fi
  if (( $#seconds > 0 && CURRENT == 3 )); then
    compadd -- $seconds
    return
  fi
  [[ -n $help ]] && return
  if [[ $last == --set || $PREFIX == --set=* ]]; then
    compset -P '--set='
    if [[ $PREFIX == *=* ]]; then
      local key=${PREFIX%%=*}
      [[ $key == table.*.* ]] && key=table.NAME.${key#table.*.}
      [[ $key == plan.tables.*.* ]] && key=plan.tables.NAME.${key#plan.tables.*.}
      compset -P '*='
      case $key in
)" + key_choices() +
         R"(      esac
      compadd -- $candidates
    else
      candidates=()" +
         key_names() + R"()
      local table=""
      [[ $PREFIX == table.*.* ]] && table=${${PREFIX#table.}%%.*}
      [[ $PREFIX == plan.tables.*.* ]] && table=${${PREFIX#plan.tables.}%%.*}
      if [[ -n $table ]]; then
        candidates=(${candidates/.NAME./.$table.})
        compadd -S = -- $candidates
      else
        compadd -S = -- ${candidates:#*.NAME.*}
        compadd -S '' -- table. plan.tables.
      fi
    fi
    return
  fi
  if [[ $PREFIX == --*=* ]]; then
    last=${PREFIX%%=*}
    compset -P '*='
  fi
  case $command$last in
)" + values() +
         R"(    *)
      if [[ $PREFIX == -* ]]; then
        _describe option options
        return
      fi
      files=$argument
      ;;
  esac
  case $files in
    deck) _files -g '*.toml' ;;
    any) _files ;;
    folders) _files -/ ;;
    list)
      compset -P '*,'
      compadd -- $candidates
      ;;
    *) compadd -- $candidates ;;
  esac
}
_tesserec "$@"
)";
}

}  // namespace

std::string completion(const std::string& shell) { return shell == "zsh" ? zsh() : bash(); }

}  // namespace tesserec::app
