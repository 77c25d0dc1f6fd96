// SPDX-License-Identifier: Apache-2.0
/// Text from untrusted sources: checks of names and paths, and display of any bytes to a person.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tesserec {

/// Returns whether all bytes of a text belong to characters of UTF-8.
bool is_utf8(std::string_view text);

/// Returns UTF-8 that a terminal or a log shows unchanged. Bytes that are not UTF-8 become "\xFF", and control
/// characters except newline and tab "\x1B". Line separators and marks of the writing direction become "\u202E".
std::string printable(std::string_view text);
/// Returns printable(text) on one line: newlines and tabs are escaped, too.
std::string printable_line(std::string_view text);

/// Quotes a value on one line, as printable() shows it, with "\t", "\n", "\r". "..." replaces the text after `longest`
/// characters.
std::string shown(std::string_view text, std::size_t longest = 24);

/// Returns why a text cannot be a path, or "" if it can: it is not UTF-8, or has a character that printable_line()
/// would escape.
std::string path_fault(std::string_view text);

/// Returns why a text cannot be a name, which is used in file names and in paths inside files, or "" if it can. A name
/// is a path without '/', at most 200 bytes, neither empty nor "." nor "..".
std::string name_fault(std::string_view text);

}  // namespace tesserec
