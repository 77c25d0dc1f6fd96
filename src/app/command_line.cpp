// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "help.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/deck/schema.hpp>
#include <tesserec/schema/suggest.hpp>

namespace tesserec::app {
namespace {

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = schema::nearest(word, names);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

// Returns the command's name that begins at words[i], one word or two. Sets i to its last word.
std::string command_name(const std::vector<std::string>& words, std::size_t& i) {
  const std::vector<std::string> seconds = second_words(words[i]);
  if (i + 1 < words.size() && std::find(seconds.begin(), seconds.end(), words[i + 1]) != seconds.end()) {
    ++i;
    return words[i - 1] + " " + words[i];
  }
  return words[i];
}

/// Returns advice to use --set if a key of the deck has the option's name, else "".
std::string as_key(const Command& command, const std::string& option) {
  if (command.argument != "DECK" || !option.starts_with("--")) return "";
  std::string name = option.substr(2);
  std::replace(name.begin(), name.end(), '-', '_');
  for (const deck::BlockInfo& block : deck::schema())
    for (const deck::KeyInfo& key : block.keys)
      if (key.name == name && block.heading == "[" + block.path + "]")
        return concat("; to set the deck's key, give --set ", block.path, ".", name, "=VALUE");
  return "";
}

void read_option(const Command& command, const std::vector<std::string>& words, std::size_t& i,
                 Invocation& invocation) {
  const std::string& word = words[i];
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names = {"--json", "--help", "--version"};
  if (word == "--json") {
    invocation.json = true;
    return;
  }
  if (name == "--set" && command.argument == "DECK") {
    invocation.overrides.push_back(option_value(words, i, "block.key=value"));
    return;
  }
  if (tesserec::read_option(command.options, words, i, invocation.options)) return;
  if (command.argument == "DECK") names.push_back("--set");
  for (const Option& option : command.options) names.push_back(option.name);
  fail("tesserec ", command.name, " has no option ", name, did_you_mean(name, names), as_key(command, name));
}

}  // namespace

const Command& command_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  if (const std::vector<std::string> seconds = second_words(name); !seconds.empty())
    fail("tesserec ", name, " needs a second word (", join(seconds, ", "), "): tesserec ", name, " ", seconds[0],
         " DECK.toml");
  fail("\"", name, "\" is not a command", did_you_mean(name, names), "\n\n", usage());
}

Invocation parse_command_line(const std::vector<std::string>& all_words) {
  check_words(all_words);
  Invocation invocation;
  for (const std::string& word : all_words)
    (word.starts_with("--kokkos-") ? invocation.kokkos_words : invocation.words).push_back(word);
  const std::vector<std::string>& words = invocation.words;
  const auto has_word = [&](const char* name) { return std::find(words.begin(), words.end(), name) != words.end(); };
  if (words.empty() || words[0] == "help" || has_word("--help") || has_word("-h"))
    invocation.command = "--help";
  else if (has_word("--version"))
    invocation.command = "--version";
  if (invocation.command == "--help")
    for (std::size_t i = 0; i < words.size(); ++i)  // Help is about the first name, if any.
      if (invocation.deck.empty() && words[i] != "help" && words[i].rfind("-", 0) != 0)
        invocation.deck = command_name(words, i);
  if (!invocation.command.empty()) return invocation;

  std::size_t i = 0;
  invocation.command = command_name(words, i);
  const Command& command = command_named(invocation.command);
  for (++i; i < words.size(); ++i) {
    if (words[i].size() > 1 && words[i][0] == '-') {
      read_option(command, words, i, invocation);
    } else if (words[i].empty()) {
      fail("tesserec ", command.name, ": a path must not be empty, but is \"\"");
    } else if (has_word("--propose") && command.name == "preprocess") {
      invocation.paths.push_back(words[i]);
    } else if (command.takes_several()) {
      invocation.deck = invocation.paths.emplace_back(words[i]);
    } else if (command.argument.empty()) {
      fail("tesserec ", command.name, " takes no deck, but got \"", words[i], "\"");
    } else if (!invocation.deck.empty() && command.indexed && invocation.index.empty()) {
      invocation.index = words[i];
    } else if (!invocation.deck.empty() && command.argument != "DECK") {
      fail("tesserec ", command.name, " takes one ", command.argument, ", but got \"", invocation.deck, "\" and \"",
           words[i], "\"");
    } else if (!invocation.deck.empty()) {
      fail("tesserec ", command.name, " takes one deck, but got \"", invocation.deck, "\" and \"", words[i],
           "\"; set a key with --set block.key=value");
    } else {
      invocation.deck = words[i];
    }
  }
  if (!command.argument.empty() && invocation.deck.empty() && !invocation.deck_is_optional()) {
    const bool deck = command.argument == "DECK";
    const std::string argument = command.argument + (deck ? ".toml" : "");
    fail("tesserec ", command.name, " needs a ", deck ? "deck" : "path", ": tesserec ", command.name, " ", argument);
  }
  return invocation;
}

}  // namespace tesserec::app
