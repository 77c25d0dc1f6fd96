// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>

namespace tesserec::test {

/// Returns `text` after a few random edits: bytes flipped, pieces cut, doubled, moved or replaced by special words of
/// TOML.
inline std::string mutate(std::string text, std::mt19937& random) {
  static const char* const words[] = {"=",
                                      "[[",
                                      "]]",
                                      "{",
                                      "}",
                                      "\"",
                                      "'''",
                                      "nan",
                                      "inf",
                                      "-1",
                                      "1e400",
                                      "\n",
                                      "\r",
                                      "#",
                                      "table",
                                      ".",
                                      "\\u",
                                      ",",
                                      "0x",
                                      "true",
                                      "[run]\n",
                                      "9223372036854775808",
                                      "\xff",
                                      "\xc3",
                                      "a.a",
                                      "optimizer",
                                      "1979-05-27T07:32:00Z",
                                      "_",
                                      "+",
                                      "\t"};
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const auto edits = 1 + below(4);
  for (std::size_t e = 0; e < edits; ++e) {
    const std::size_t at = below(text.size() + 1), length = below(1 + text.size() / 8);
    switch (below(5)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1u << below(8)));
        break;
      case 1:
        text.erase(std::min(at, text.size()), length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 3:
        text.insert(at, words[below(sizeof words / sizeof words[0])]);
        break;
      case 4:
        text.resize(at);
        break;
    }
  }
  return text;
}

}  // namespace tesserec::test
