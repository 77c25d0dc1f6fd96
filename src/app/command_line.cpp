// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/deck/suggest.hpp>

namespace tesserec::app {
namespace {

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = deck::nearest(word, names);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  fail("\"", name, "\" is no command", did_you_mean(name, names), "\n\n", usage());
}

// `words[i]` is an option; takes its value, from "--set=x" or from the next word.
std::string value_of(const std::vector<std::string>& words, std::size_t& i, const std::string& what) {
  if (const std::size_t equals = words[i].find('='); equals != std::string::npos) return words[i].substr(equals + 1);
  if (i + 1 == words.size()) fail(words[i], " needs ", what, " behind it");
  return words[++i];
}

void read_option(const Command& command, const std::vector<std::string>& words, std::size_t& i,
                 Invocation& invocation) {
  const std::string& word = words[i];
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names = {"--json", "--set", "--help", "--version"};
  if (word == "--json") {
    invocation.json = true;
    return;
  }
  if (name == "--set" && command.argument == "DECK") {
    invocation.overrides.push_back(value_of(words, i, "block.key=value"));
    return;
  }
  for (const Option& option : command.options) {
    names.push_back(option.name);
    if (name != option.name) continue;
    if (option.value.empty() && word != name) fail(name, " takes no value");
    invocation.options[name] = option.value.empty() ? "" : value_of(words, i, option.value);
    return;
  }
  fail("tesserec ", command.name, " has no option ", name, did_you_mean(name, names));
}

}  // namespace

const Command& command_named(const std::string& name) { return find_command(name); }

Invocation parse_command_line(const std::vector<std::string>& words) {
  Invocation invocation;
  const auto given = [&](const char* name) { return std::find(words.begin(), words.end(), name) != words.end(); };
  if (words.empty() || given("--help") || given("-h"))
    invocation.command = "--help";
  else if (given("--version"))
    invocation.command = "--version";
  if (!invocation.command.empty()) return invocation;

  invocation.command = words[0];
  const Command& command = find_command(words[0]);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].size() > 1 && words[i][0] == '-') {
      read_option(command, words, i, invocation);
    } else if (command.argument.empty()) {
      fail("tesserec ", command.name, " takes no deck, but got ", words[i]);
    } else if (!invocation.deck.empty() && command.argument != "DECK") {
      fail("tesserec ", command.name, " takes one ", command.argument, ", but got ", invocation.deck, " and ",
           words[i]);
    } else if (!invocation.deck.empty()) {
      fail("tesserec ", command.name, " takes one deck, but got ", invocation.deck, " and ", words[i],
           "; a key is set by --set block.key=value");
    } else {
      if (words[i].empty()) fail("the path behind tesserec ", command.name, " is empty");
      invocation.deck = words[i];
    }
  }
  if (!command.argument.empty() && invocation.deck.empty() && !invocation.deck_may_lack())
    fail("tesserec ", command.name, " needs a ", command.argument == "DECK" ? "deck: tesserec " : "path: tesserec ",
         command.name, " ", command.argument, command.argument == "DECK" ? ".toml" : "");
  return invocation;
}

std::string usage() {
  std::string text =
      "usage: tesserec COMMAND [DECK.toml] [--set block.key=value]... [--json]\n"
      "       mpirun -n RANKS tesserec COMMAND ... | srun --mpi=pmix tesserec COMMAND ...\n\ncommands:\n";
  for (const Command& command : commands()) {
    text += "  " + left(command.name + " ", 11) + command.help + "\n";
    for (const Option& option : command.options)
      text +=
          "             " + option.name + (option.value.empty() ? "" : " " + option.value) + ": " + option.help + "\n";
  }
  return text +
         "\n  --set block.key=value  override a key of the deck; repeatable\n"
         "  --json                 print exactly one JSON object on stdout\n"
         "  --version, --help\n";
}

}  // namespace tesserec::app
