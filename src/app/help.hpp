// SPDX-License-Identifier: Apache-2.0
/// Help, manual pages and shell completion, from the tables of commands, options and keys.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command.hpp"

namespace tesserec::app {

/// Returns the versions of the program and its libraries: "tesserec 0.1.0, Kokkos 3.4.1, HDF5 1.10.8, Open MPI v4.1.4".
std::string versions();

/// Returns a command's own options, then --set if it takes a deck, --json and --help.
std::vector<Option> options_of(const Command& command);

/// Returns the arguments of a command's usage: "DECK.toml [OPTION]...".
std::string synopsis(const Command& command);
/// Returns the arguments of the usage as a job of several ranks.
std::string job_synopsis(const Command& command);

/// Returns the text of --help without a command.
std::string usage();
/// Returns the text of --help for the commands with this name or first word. Throws Error if there is none.
std::string help_of(const std::string& name);

/// Lists the second words of the commands of two words that begin with `first`.
std::vector<std::string> second_words(const std::string& first);

/// Returns the script that makes a shell, "bash" or "zsh", complete the program's arguments.
std::string completion(const std::string& shell);

/// Returns the manual pages, each as its path "man1/tesserec.1" and its text in the language of man(7).
std::vector<std::pair<std::string, std::string>> man_pages();

}  // namespace tesserec::app
