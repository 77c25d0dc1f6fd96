// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace tesserec::app {

/// Parses the command line behind the program's name. Words that begin with --kokkos- are for Kokkos. Errors: a
/// word that could be no name and no path of a deck, an unknown command or option, a missing deck, ... Without any
/// word, and for help, --help and --version, `command` is "--help" or "--version"; the command that help is asked of
/// stands in `deck`.
Invocation parse_command_line(const std::vector<std::string>& words);

/// The row of commands.cpp; the name must be one.
const Command& command_named(const std::string& name);

}  // namespace tesserec::app
