// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/schema/value.hpp>

namespace tesserec::schema {

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
      return "the number " + (std::isnan(number) ? "nan" : shortest(number));
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

std::string toml_text(const Value& value) {
  switch (value.kind) {
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::number:
      return shortest(value.number);
    case Kind::text:
      return quoted(value.text);
    case Kind::list:
      return "[" + join(value.list, ", ", toml_text) + "]";
    case Kind::table:
      return "{" + join(value.table, ", ", [](const Entry& e) { return quoted(e.key) + " = " + toml_text(e.value); }) +
             "}";
    case Kind::other:
      break;
  }
  fail(value.where, ": ", value.words(), " is not a valid value; write it as text");
}

std::string quoted(const std::string& text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (const std::size_t at = std::string_view("\b\t\n\f\r").find(c); at != std::string_view::npos) {
      out += '\\';
      out += "btnfr"[at];
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace tesserec::schema
