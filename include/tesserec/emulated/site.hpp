// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec::emulated {

/// A place in the source of a kernel, taken as a default argument: `Site site = Site::here()`.
struct Site {
  const char* file;
  int line;
  static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
  bool operator==(const Site& other) const { return line == other.line && same(file, other.file); }

 private:
  static constexpr bool same(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) {
      ++a;
      ++b;
    }
    return *a == *b;
  }
};

}  // namespace tesserec::emulated
