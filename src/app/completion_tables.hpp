// SPDX-License-Identifier: Apache-2.0
/// Tables of commands, options and keys, as branches of a shell's `case` or as words between parentheses.
#pragma once

#include <functional>
#include <string>

namespace tesserec::app::completion_tables {

/// Function that makes a word of a name and its help.
using Form = std::function<std::string(const std::string& name, const std::string& help)>;

/// Returns the branches that complete the values of options: files, lists of words or choices.
std::string values();
/// Returns the branches that complete the values of keys. Keys of a table have NAME in place of the table's name.
std::string key_choices();
/// Returns the names of all keys that --set takes, in the same form.
std::string key_names();
/// Returns the branches with each command's options and the kind of its argument.
std::string commands_text(const Form& form);
/// Returns the branches with the second words of commands that have two.
std::string seconds();
/// Returns the first words of all commands, and "help".
std::string command_names(const Form& form);

}  // namespace tesserec::app::completion_tables
