// SPDX-License-Identifier: Apache-2.0
#include "value.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace tesserec::deck {

const Value* Value::find(const std::string& key) const {
  if (kind != Kind::table) return nullptr;
  for (const Entry& entry : table)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Value* Value::find(const std::string& key) { return const_cast<Value*>(static_cast<const Value*>(this)->find(key)); }

const Value* Value::find_path(const std::string& path) const {
  const std::size_t dot = path.find('.');
  const Value* child = find(path.substr(0, dot));
  return child == nullptr || dot == std::string::npos ? child : child->find_path(path.substr(dot + 1));
}

std::string Value::words() const {
  switch (kind) {
    case Kind::boolean:
      return boolean ? "true" : "false";
    case Kind::integer:
      return "the integer " + std::to_string(integer);
    case Kind::number:
      return "the number " + (std::isfinite(number) ? number_text(number)
                              : std::isnan(number)  ? "nan"
                              : number > 0          ? "inf"
                                                    : "-inf");
    case Kind::text:
      return "the text " + quoted(text.size() > 60 ? text.substr(0, 57) + "..." : text);
    case Kind::list:
      return list.empty() ? "an empty list" : "a list";
    case Kind::table:
      return "a block";
    case Kind::other:
      return "a date or time";
  }
  return "";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04X", byte);
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number_text(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace tesserec::deck
