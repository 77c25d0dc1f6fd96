// SPDX-License-Identifier: Apache-2.0
// Scripts for bash and zsh: their own few lines, and the tables of commands, options and keys as `case`s between them.
#include "command_line.hpp"
#include "help.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/deck/schema.hpp>

namespace tesserec::app {
namespace {

/// A word of the shell.
std::string word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string words(const std::vector<std::string>& texts) { return join(texts, " ", word); }

bool names_a_file(const Option& option) {
  return option.value.find("FILE") == 0 || option.value == "FOLDER" || option.value.find(".json") != std::string::npos;
}

/// Blocks whose keys --set reaches by the names that stand in the schema.
bool has_fixed_names(const deck::BlockInfo& block) {
  return block.heading.rfind("[[", 0) != 0 && block.path.find("NAME") == std::string::npos;
}

template <class Visit>
void for_each_key(const Visit& visit) {
  for (const deck::BlockInfo& block : deck::schema())
    if (has_fixed_names(block))
      for (const deck::KeyInfo& key : block.keys) visit(block.path + "." + key.name, key);
}

/// Of all commands, each once.
std::vector<std::string> first_words() {
  std::vector<std::string> firsts;
  for (const Command& command : commands())
    if (const std::string first = command.name.substr(0, command.name.find(' '));
        firsts.empty() || firsts.back() != first)
      firsts.push_back(first);
  return firsts;
}

/// What stands behind an option. Files where it names one, else its choices, if it has some.
std::string values() {
  std::string text;
  for (const Command& command : commands())
    for (const Option& option : command.options)
      if (!option.value.empty())
        text += "    " + word(command.name + option.name) + ") " +
                (names_a_file(option) ? "files=any" : "candidates=(" + words(option.choices) + ")") + " ;;\n";
  return text;
}

std::string key_choices() {
  std::string text;
  for_each_key([&](const std::string& path, const deck::KeyInfo& key) {
    const std::vector<std::string> choices = choices_of(key);
    if (!choices.empty()) text += "    " + path + ") candidates=(" + words(choices) + ") ;;\n";
  });
  return text;
}

std::string key_names() {
  std::vector<std::string> names;
  for_each_key([&](const std::string& path, const deck::KeyInfo&) { names.push_back(path); });
  return words(names);
}

/// The options of each command, and what else it takes. `form` makes a word of an option.
template <class Form>
std::string commands_text(const Form& form) {
  std::string text;
  for (const Command& command : commands()) {
    std::vector<std::string> options;
    for (const Option& option : options_of(command)) options.push_back(form(option.name, option.help));
    text += "    " + word(command.name) + ") options=(" + words(options) + ")";
    if (!command.argument.empty()) text += command.argument == "DECK" ? " argument=deck" : " argument=any";
    text += " ;;\n";
  }
  return text;
}

/// Of names of two words, what stands behind the first.
std::string seconds() {
  std::string text;
  for (const std::string& first : first_words())
    if (const auto behind = second_words(first); !behind.empty())
      text += "    " + first + ") seconds=(" + words(behind) + ") ;;\n";
  return text;
}

template <class Form>
std::string command_names(const Form& form) {
  std::vector<std::string> names;
  for (const std::string& first : first_words()) {
    const auto behind = second_words(first);
    names.push_back(form(first, behind.empty() ? command_named(first).help : join(behind, ", ")));
  }
  names.push_back(form("help", "what a command does, and its options"));
  return words(names);
}

// What readline replaces begins behind the last '=' of a word.
std::string bash() {
  const auto name_alone = [](const std::string& name, const std::string&) { return name; };
  return R"(# Completion of tesserec for bash, made by `tesserec describe --completion bash`.
_tesserec() {
  local line=${COMP_LINE:0:COMP_POINT} before word command key files="" argument="" cut="" front=""
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
      case ${key%%=*} in
)" + key_choices() +
         R"(      esac
    else
      candidates=()" +
         key_names() + R"()
      candidates=("${candidates[@]/%/=}")
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
      compset -P '*='
      case $key in
)" + key_choices() +
         R"(      esac
      compadd -- $candidates
    else
      candidates=()" +
         key_names() + R"()
      compadd -S = -- $candidates
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
    *) compadd -- $candidates ;;
  esac
}
_tesserec "$@"
)";
}

}  // namespace

std::string completion(const std::string& shell) { return shell == "zsh" ? zsh() : bash(); }

}  // namespace tesserec::app
