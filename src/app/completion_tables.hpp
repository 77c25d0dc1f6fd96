// SPDX-License-Identifier: Apache-2.0
/// The tables of commands, options and keys as branches of a shell's `case`, and as words between parentheses.
#pragma once

#include <functional>
#include <string>

namespace tesserec::app::completion_tables {

/// Makes a word of a name and its help.
using Form = std::function<std::string(const std::string& name, const std::string& help)>;

/// Writes what stands behind an option: files where it names one, else its choices, if it has some.
std::string values();
/// The choices of keys, and the keys. A key of a table has NAME for the table's.
std::string key_choices();
std::string key_names();
/// The options of each command, and what else it takes.
std::string commands_text(const Form& form);
/// Writes what stands behind the first of two words.
std::string seconds();
std::string command_names(const Form& form);

}  // namespace tesserec::app::completion_tables
