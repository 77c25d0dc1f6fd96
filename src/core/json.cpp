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

using Library = nlohmann::json;

/// Members of an object up to which set() asserts that a name is new. The search for each of many would take seconds.
constexpr std::size_t searched_members = 64;

/// Builds a value from the library's events, in a time that grows with the text alone. The library's own trees search
/// an object for each of its members. Throws Error if a name occurs twice in an object or if more than 16 levels are
/// nested, neither of which the library checks.
class Builder : public nlohmann::json_sax<Library> {
 public:
  /// Reads a text that must outlive the builder.
  explicit Builder(const std::string& text) : text_(text), stream_(text) {}

  Json build() {
    Library::sax_parse(stream_, this);
    return std::move(root_);
  }

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return std::in_range<std::int64_t>(value) ? put(value) : put(double(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t&) override { return false; }  // no event of a text
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Unclosed& object = open_.back();
    const auto [at, is_new] = object.names.insert(name);
    if (!is_new) refuse("\"", name, "\" occurs twice in one object");
    object.name = &*at;
    return true;
  }
  /// Throws Error with the library's message without its prefix "[json.exception.parse_error.101] ".
  bool parse_error(std::size_t, const std::string&, const Library::exception& error) override {
    const std::string text = error.what();
    const std::size_t head = text.find("] ");
    fail(head == std::string::npos ? text : text.substr(head + 2));
  }

 private:
  /// An object or array whose end is not read yet.
  struct Unclosed {
    Json value;
    std::set<std::string> names = {};   // of an object; not hashed, because names of one hash may be sent on purpose
    const std::string* name = nullptr;  // of the member whose value is next
  };

  /// Throws Error with the line that was read last.
  template <class... Message>
  [[noreturn]] void refuse(const Message&... message) {
    fail("line ", 1 + std::count(text_.begin(), text_.begin() + stream_.tellg(), '\n'), ": ", message...);
  }
  bool open(Json value) {
    open_.push_back({std::move(value)});
    if (open_.size() > 16) refuse("values are nested more than 16 levels deep");
    return true;
  }
  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return put(std::move(value));
  }
  /// Puts a value where the text has it.
  bool put(Json value) {
    if (open_.empty())
      root_ = std::move(value);
    else if (Unclosed& to = open_.back(); to.value.kind() == Json::Kind::object)
      to.value.set(*to.name, std::move(value));
    else
      to.value.add(std::move(value));
    return true;
  }

  const std::string& text_;
  std::istringstream stream_;
  std::vector<Unclosed> open_;  // outermost first
  Json root_;
};

/// Quotes a text. Characters that printable() would change become JSON escapes.
std::string quoted(const std::string& text) {
  const std::string dumped = Library(text).dump(-1, ' ', false, Library::error_handler_t::replace);
  std::string out;
  for (std::string_view remaining = dumped; !remaining.empty();) {
    std::size_t bytes = 1;
    while (bytes < remaining.size() && (static_cast<unsigned char>(remaining[bytes]) & 0xc0) == 0x80) ++bytes;
    const std::string_view character = remaining.substr(0, bytes);
    out += printable(character) == character ? std::string(character)
                                             : Library(character).dump(-1, ' ', true).substr(1, 6);
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
  assert(kind_ == Kind::object && (names_.size() >= searched_members || !has(name)));
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

Json parse_json(const std::string& text) { return Builder(text).build(); }

}  // namespace tesserec
