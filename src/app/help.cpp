// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <filesystem>
#include <string>

#include "version.hpp"
#include <tesserec/comm/environment.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::app {
namespace {

/// Returns lines that name the decks and the documentation of an installed program; "" if it is not installed.
std::string installed_files() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);  // PREFIX/bin/tesserec
  const fs::path share = program.parent_path().parent_path() / "share";
  if (error || !fs::is_directory(share / "tesserec" / "inputs", error)) return "";
  const std::string place = share.string();
  return "\n  " + place + "/tesserec: decks, train.sbatch, site files and examples, to copy\n  " + place +
         "/doc/tesserec: documentation, beginning with README.md\n";
}

std::string help_of_command(const Command& command) {
  std::string text = "usage: tesserec " + command.name + " " + synopsis(command) + "\n";
  if (command.parallel) text += "       mpirun -n RANKS tesserec " + command.name + " " + job_synopsis(command) + "\n";
  text += "\n" + command.help + "\n\n" + option_lines(options_of(command));
  if (command.argument == "DECK") text += "\ntesserec describe prints every key of a deck.\n";
  return text;
}

}  // namespace

std::string versions() {
  return concat("tesserec " TESSEREC_VERSION ", Kokkos ", kokkos_version(), ", HDF5 ", store::hdf5_version(), ", ",
                comm::Environment::library());
}

std::vector<Option> options_of(const Command& command) {
  std::vector<Option> options = command.options;
  if (command.argument == "DECK")
    options.push_back({"--set", "block.key=value", "override a key of the deck; repeatable"});
  options.push_back({"--json", "", "print exactly one JSON object on stdout"});
  options.push_back({"--help", "", "print this help and exit"});
  return options;
}

std::string synopsis(const Command& command) {
  Invocation bare;
  bare.command = command.name;
  std::string argument = command.argument;
  if (argument == "DECK") argument += ".toml";
  if (bare.deck_is_optional()) argument = "[" + argument + "]";
  if (command.indexed) argument += " [INDEX]";
  return argument + (argument.empty() ? "" : " ") + "[OPTION]...";
}

std::string job_synopsis(const Command& command) { return command.indexed ? "DECK.toml INDEX ..." : "..."; }

std::string usage() {
  std::string text =
      "usage: tesserec COMMAND [DECK.toml] [--set block.key=value]... [--json]\n"
      "       mpirun -n RANKS tesserec COMMAND ... | srun --mpi=pmix tesserec COMMAND ...\n\ncommands:\n";
  for (const Command& command : commands()) text += "  " + left(command.name + " ", 14) + command.help + "\n";
  return text +
         "\n  tesserec help COMMAND  options of a command\n"
         "  tesserec describe      every key of a deck\n"
         "  tesserec --version     versions of the program and its libraries\n" +
         installed_files();
}

std::string help_of(const std::string& name) {
  std::vector<std::string> texts;
  for (const Command& command : commands())
    if (command.name == name || command.name.rfind(name + " ", 0) == 0) texts.push_back(help_of_command(command));
  if (texts.empty()) command_named(name);  // Throws Error, which lists the commands.
  return join(texts, "\n\n");
}

std::vector<std::string> second_words(const std::string& first) {
  std::vector<std::string> seconds;
  for (const Command& command : commands())
    if (command.name.rfind(first + " ", 0) == 0) seconds.push_back(command.name.substr(first.size() + 1));
  return seconds;
}

}  // namespace tesserec::app
