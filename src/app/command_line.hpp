// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace tesserec::app {

/// Parses the command line behind the program's name. Words that begin with --kokkos- are for Kokkos. Errors: a word
/// that is neither a name nor a deck's path, an unknown command or option, a missing deck, ... help, --help, --version
/// and an empty line set `command` to "--help" or "--version", and `deck` to the command that help is asked about.
Invocation parse_command_line(const std::vector<std::string>& words);

/// The row of commands.cpp; the name must be one.
const Command& command_named(const std::string& name);

}  // namespace tesserec::app
