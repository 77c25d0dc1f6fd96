// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec {
namespace {

using Parsed = nlohmann::ordered_json;
using Event = nlohmann::detail::parse_event_t;

/// Returns the library's message without its prefix "[json.exception.parse_error.101] ".
std::string reason(const Parsed::exception& error) {
  const std::string text = error.what();
  const std::size_t head = text.find("] ");
  return head == std::string::npos ? text : text.substr(head + 2);
}

/// Parses a text. Throws Error if a name occurs twice in an object or if more than 16 levels are nested; the library
/// checks neither.
Parsed parsed(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::set<std::string>> names;  // names seen in each open object or array
  return Parsed::parse(stream, [&](int, Event event, const Parsed& value) {
    const auto refuse = [&](const auto&... message) {
      const auto position = text.begin() + stream.tellg();
      fail("line ", 1 + std::count(text.begin(), position, '\n'), ": ", message...);
    };
    if (event == Event::object_start || event == Event::array_start) names.emplace_back();
    if (event == Event::object_end || event == Event::array_end) names.pop_back();
    if (names.size() > 16) refuse("values are nested more than 16 levels deep");
    if (event == Event::key && !names.back().insert(value.get<std::string>()).second)
      refuse("\"", value.get<std::string>(), "\" occurs twice in one object");
    return true;
  });
}

Json converted(const Parsed& value) {
  switch (value.type()) {
    case Parsed::value_t::object: {
      Json object = Json::object();
      for (const auto& [name, member] : value.items()) object.set(name, converted(member));
      return object;
    }
    case Parsed::value_t::array: {
      Json array = Json::array();
      for (const Parsed& element : value) array.add(converted(element));
      return array;
    }
    case Parsed::value_t::string:
      return value.get<std::string>();
    case Parsed::value_t::boolean:
      return value.get<bool>();
    case Parsed::value_t::number_integer:
      return value.get<std::int64_t>();
    case Parsed::value_t::number_unsigned:
      if (std::in_range<std::int64_t>(value.get<std::uint64_t>())) return value.get<std::int64_t>();
      return value.get<double>();
    case Parsed::value_t::number_float:
      return value.get<double>();
    default:
      return {};
  }
}

/// Quotes a text. Characters that printable() would change become JSON escapes.
std::string quoted(const std::string& text) {
  const std::string dumped = Parsed(text).dump(-1, ' ', false, Parsed::error_handler_t::replace);
  std::string out;
  for (std::string_view remaining = dumped; !remaining.empty();) {
    std::size_t bytes = 1;
    while (bytes < remaining.size() && (static_cast<unsigned char>(remaining[bytes]) & 0xc0) == 0x80) ++bytes;
    const std::string_view character = remaining.substr(0, bytes);
    out +=
        printable(character) == character ? std::string(character) : Parsed(character).dump(-1, ' ', true).substr(1, 6);
    remaining.remove_prefix(bytes);
  }
  return out;
}

/// Throws Error with the start of the value, which is not `noun`.
[[noreturn]] void refuse(const Json& value, const char* noun) {
  constexpr std::size_t longest = 40;
  const std::string text = shown(value.kind() == Json::Kind::number ? shortest(value.number()) : value.text(), longest);
  fail(text.substr(1, text.size() - 2), " is not ", noun);
}

}  // namespace

Json::Json(double value) : kind_(std::isfinite(value) ? Kind::number : Kind::null), number_(value) {}

Json& Json::set(const std::string& name, Json value) {
  assert(kind_ == Kind::object && !has(name));
  names_.push_back(name);
  elements_.push_back(std::move(value));
  return *this;
}

Json& Json::add(Json value) {
  assert(kind_ == Kind::array);
  elements_.push_back(std::move(value));
  return *this;
}

const Json* Json::find(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? nullptr : &elements_[found - names_.begin()];
}

const Json& Json::at(const std::string& name) const {
  const Json* const member = find(name);
  if (member == nullptr) fail('"', name, "\" is missing");
  return *member;
}

bool Json::boolean() const {
  if (kind_ != Kind::boolean) refuse(*this, "true or false");
  return boolean_;
}

std::int64_t Json::integer() const {
  if (kind_ != Kind::integer) refuse(*this, "an integer");
  return integer_;
}

double Json::number() const {
  if (kind_ == Kind::integer) return double(integer_);
  if (kind_ != Kind::number) refuse(*this, "a number");
  return number_;
}

const std::string& Json::string() const {
  if (kind_ != Kind::string) refuse(*this, "a string");
  return string_;
}

const std::vector<Json>& Json::elements() const {
  if (kind_ != Kind::array) refuse(*this, "a list");
  return elements_;
}

const std::vector<std::string>& Json::names() const {
  if (kind_ != Kind::object) refuse(*this, "an object");
  return names_;
}

std::string Json::text(std::size_t indent) const {
  switch (kind_) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return boolean_ ? "true" : "false";
    case Kind::integer:
      return std::to_string(integer_);
    case Kind::number:
      return significant(number_, 17);
    case Kind::string:
      return quoted(string_);
    case Kind::array:
    case Kind::object:
      break;
  }
  const bool object = kind_ == Kind::object, lines = layout_ == Layout::lines && !elements_.empty();
  const std::size_t inside = lines ? indent + 2 : indent;
  const std::string start = lines ? "\n" + std::string(inside, ' ') : "";
  std::string text(1, object ? '{' : '[');
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (i > 0) text += lines ? "," : ", ";
    text += start;
    if (object) text += quoted(names_[i]) + ": ";
    text += elements_[i].text(inside);
  }
  if (lines && object) text += "\n" + std::string(indent, ' ');
  return text + (object ? '}' : ']');
}

Json parse_json(const std::string& text) try {
  return converted(parsed(text));
} catch (const Parsed::exception& error) {
  fail(reason(error));
}

}  // namespace tesserec
