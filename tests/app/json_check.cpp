// SPDX-License-Identifier: Apache-2.0
// Exit code 0 if standard input is exactly one JSON object (RFC 8259).
#include <cctype>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

namespace {

struct Reader {
  std::string text;
  std::size_t at = 0;

  char peek() const { return at < text.size() ? text[at] : '\0'; }
  void space() {
    while (at < text.size() && std::string(" \t\r\n").find(text[at]) != std::string::npos) ++at;
  }
  bool take(char c) {
    space();
    if (peek() != c) return false;
    ++at;
    return true;
  }
  bool word(const char* w) {
    const std::string s = w;
    if (text.compare(at, s.size(), s) != 0) return false;
    at += s.size();
    return true;
  }
  bool digits() {
    const std::size_t start = at;
    while (std::isdigit(static_cast<unsigned char>(peek()))) ++at;
    return at > start;
  }
  bool number() {
    if (peek() == '-') ++at;
    if (peek() == '0')
      ++at;
    else if (!digits())
      return false;
    if (peek() == '.' && (++at, !digits())) return false;
    if (peek() == 'e' || peek() == 'E') {
      ++at;
      if (peek() == '+' || peek() == '-') ++at;
      return digits();
    }
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    while (at < text.size() && text[at] != '"') {
      if (static_cast<unsigned char>(text[at]) < 0x20) return false;
      if (text[at] == '\\') {
        ++at;
        if (peek() == 'u') {
          for (int i = 0; i < 4; ++i)
            if (!std::isxdigit(static_cast<unsigned char>(++at < text.size() ? text[at] : '\0'))) return false;
        } else if (peek() == '\0' || std::string("\"\\/bfnrt").find(peek()) == std::string::npos) {
          return false;
        }
      }
      ++at;
    }
    return take('"');
  }
  bool object() {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      if (!string() || !take(':') || !value()) return false;
    } while (take(','));
    return take('}');
  }
  bool array() {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!value()) return false;
    } while (take(','));
    return take(']');
  }
  bool value() {
    space();
    switch (peek()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }
};

}  // namespace

int main() {
  Reader reader{{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()}};
  const bool good = reader.object();
  reader.space();
  if (good && reader.at == reader.text.size()) return 0;
  std::fprintf(stderr, "not one JSON object: stopped at byte %zu of %zu\n", reader.at, reader.text.size());
  return 1;
}
