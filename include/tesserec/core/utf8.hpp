// SPDX-License-Identifier: Apache-2.0
/// Text of strangers: what may be a name or a path, and how any bytes are shown to a person.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tesserec {

/// UTF-8 that a terminal or a log shows as it is: bytes that are no UTF-8 become "\xFF", control characters but newline
/// and tab "\x1B", line separators and marks that turn the direction of writing "\u202E".
std::string printable(std::string_view text);
/// The same on one line: newlines and tabs are escaped, too.
std::string printable_line(std::string_view text);

/// Quotes a value on one line, as printable() shows it, with "\t", "\n", "\r"; "..." stands for text beyond `longest`.
std::string shown(std::string_view text, std::size_t longest = 24);

/// Why a text cannot be a path; "" if it can. It holds a character that printable() would change, a newline or a tab.
std::string path_fault(std::string_view text);

/// Why a text cannot be a name, which is part of file names and of paths inside files; "" if it can. A path without
/// '/', at most 200 bytes, neither empty nor "." nor "..".
std::string name_fault(std::string_view text);

}  // namespace tesserec
