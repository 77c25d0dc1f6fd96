// SPDX-License-Identifier: Apache-2.0
/// The tables of commands, options and keys, for people and for their shells.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command.hpp"

namespace tesserec::app {

/// Returns "tesserec 0.1.0, Kokkos 3.4.1, HDF5 1.10.8, Open MPI v4.1.4": the program and what runs beneath it.
std::string versions();

/// A command's own options, then --set and --json where it takes them, and --help.
std::vector<Option> options_of(const Command& command);

/// Returns what stands behind the command's name: "DECK.toml [OPTION]..."
std::string synopsis(const Command& command);
/// The same of a job of several ranks.
std::string job_synopsis(const Command& command);

/// Returns what --help prints, without a command and with one.
std::string usage();
std::string help_of(const std::string& name);

/// Lists the words behind the first of commands whose names are two words.
std::vector<std::string> second_words(const std::string& first);

/// The script that makes a shell, "bash" or "zsh", complete what stands behind the program's name.
std::string completion(const std::string& shell);

/// Manual pages in the language of man(7): "man1/tesserec.1" and what it holds.
std::vector<std::pair<std::string, std::string>> man_pages();

}  // namespace tesserec::app
