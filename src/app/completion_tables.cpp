// SPDX-License-Identifier: Apache-2.0
#include "completion_tables.hpp"

#include "help.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/deck/schema.hpp>

namespace tesserec::app::completion_tables {
namespace {

/// Quotes a text as one word of a shell.
std::string word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string words(const std::vector<std::string>& texts) { return join(texts, " ", word); }

bool names_a_file(const Option& option) {
  return option.value.find("FILE") == 0 || option.value.find(".json") != std::string::npos;
}

/// Returns the block's name in --set, "train" or "table.NAME"; "" if --set does not take its keys.
std::string reached(const deck::BlockInfo& block) {
  if (block.path == "table") return "table.NAME";
  return block.heading.starts_with("[[") ? "" : block.path;
}

template <class Visit>
void for_each_key(const Visit& visit) {
  for (const deck::BlockInfo& block : deck::schema())
    if (const std::string path = reached(block); !path.empty())
      for (const deck::KeyInfo& key : block.keys) visit(path + "." + key.name, key);
}

/// Returns the kind of path that completes the command's argument; "" if it takes none.
std::string argument_of(const Command& command) {
  if (command.argument.empty()) return "";
  if (command.argument == "DECK") return "deck";
  return command.argument == "RUN..." ? "folders" : "any";
}

/// Returns the shell assignments that complete the value of an option.
std::string value_of(const Option& option) {
  if (option.value == "FOLDER") return "files=folders";
  if (names_a_file(option)) return "files=any";
  if (!option.words.empty()) return "files=list candidates=(" + words(option.words) + ")";
  return "candidates=(" + words(option.choices) + ")";
}

/// Lists the first words of all commands, each once.
std::vector<std::string> first_words() {
  std::vector<std::string> firsts;
  for (const Command& command : commands())
    if (const std::string first = command.name.substr(0, command.name.find(' '));
        firsts.empty() || firsts.back() != first)
      firsts.push_back(first);
  return firsts;
}

}  // namespace

std::string values() {
  std::string text;
  for (const Command& command : commands())
    for (const Option& option : command.options)
      if (!option.value.empty()) text += "    " + word(command.name + option.name) + ") " + value_of(option) + " ;;\n";
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

std::string commands_text(const Form& form) {
  std::string text;
  for (const Command& command : commands()) {
    std::vector<std::string> options;
    for (const Option& option : options_of(command)) options.push_back(form(option.name, option.help));
    text += "    " + word(command.name) + ") options=(" + words(options) + ")";
    if (const std::string argument = argument_of(command); !argument.empty()) text += " argument=" + argument;
    text += " ;;\n";
  }
  return text;
}

std::string seconds() {
  std::string text;
  for (const std::string& first : first_words())
    if (const auto second = second_words(first); !second.empty())
      text += "    " + first + ") seconds=(" + words(second) + ") ;;\n";
  return text;
}

std::string command_names(const Form& form) {
  std::vector<std::string> names;
  for (const std::string& first : first_words()) {
    const auto second = second_words(first);
    names.push_back(form(first, second.empty() ? command_named(first).help : join(second, ", ")));
  }
  names.push_back(form("help", "show the options of a command"));
  return words(names);
}

}  // namespace tesserec::app::completion_tables
