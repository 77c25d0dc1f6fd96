// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "value.hpp"

namespace tesserec::deck {

/// The whole file. Errors name what is wrong: missing, a directory, empty, too large, UTF-16, NUL bytes.
std::string read_text(const std::string& path);

/// TOML text as a tree; every `where` is "name:line". Errors: "name:line: not valid TOML: ...".
Value parse_toml(const std::string& text, const std::string& name);

}  // namespace tesserec::deck
