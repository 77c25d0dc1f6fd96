// SPDX-License-Identifier: Apache-2.0
/// Options of a command line: the words of a user by a table, and the lines of its help.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tesserec {

/// Option of a command.
struct Option {
  std::string name;   ///< "--scores"
  std::string value;  ///< name of its value, "FILE"; empty = takes none
  std::string help;
  std::vector<std::string> choices = {};  ///< allowed values; empty = any
  bool reads = false;                     ///< true if the value is a file to read
  std::vector<std::string> words = {};    ///< words of which the value lists some, separated by commas
};

/// Throws Error for a word that the rules for paths in a deck refuse. A value of --set may have tabs, as a deck may.
void check_words(const std::vector<std::string>& words);

/// Returns the value of the option words[i], from "--set=x" or from the next word, to which it then sets i.
/// `placeholder`: name of the value. Throws Error if there is none.
std::string option_value(const std::vector<std::string>& words, std::size_t& i, const std::string& placeholder);

/// Reads the option words[i] and its value, and sets i to its last word. Returns false if the table lacks the option.
/// Throws Error for a value that is missing, not taken, or not among the choices.
bool read_option(std::span<const Option> table, const std::vector<std::string>& words, std::size_t& i,
                 std::map<std::string, std::string>& values);

/// Returns a line for each option, for a help.
std::string option_lines(std::span<const Option> table);

}  // namespace tesserec
