// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <cmath>
#include <cstdio>

namespace tesserec::app {
namespace {

// Whether bytes are UTF-8; a file name may be anything.
bool is_utf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t more = byte < 0x80                   ? 0
                             : byte >= 0xc2 && byte < 0xe0 ? 1
                             : byte >= 0xe0 && byte < 0xf0 ? 2
                             : byte >= 0xf0 && byte < 0xf5 ? 3
                                                           : 9;
    if (more == 9 || i + more >= text.size()) return false;
    for (std::size_t k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
    i += more + 1;
  }
  return true;
}

}  // namespace

Json::Json(double value) {
  if (!std::isfinite(value)) {
    text_ = "null";
    return;
  }
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  text_ = buffer;
}

Json::Json(const std::string& value) {
  const bool utf8 = is_utf8(value);
  text_ = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !utf8)) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      text_ += code;
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

Json& Json::set(const std::string& key, const Json& value) {
  text_ += (text_.empty() ? "" : ", ") + Json(key).text() + ": " + value.text();
  return *this;
}

Json& Json::add(const Json& value) {
  text_ += (text_.empty() ? "" : ", ") + value.text();
  return *this;
}

}  // namespace tesserec::app
