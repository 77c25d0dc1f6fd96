// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <charconv>

#include <tesserec/core/error.hpp>

namespace tesserec::store {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Json document() {
    Json value = parse(0);
    skip_spaces();
    if (at_ != text_.size()) refuse("more text after the end");
    return value;
  }

 private:
  [[noreturn]] void refuse(const char* why) const { fail("byte ", at_, ": ", why); }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* why) {
    if (!take(c)) refuse(why);
  }

  std::string quoted() {
    expect('"', "a string is missing");
    std::string text;
    while (true) {
      if (at_ >= text_.size()) refuse("a string without an end");
      char c = text_[at_++];
      if (c == '"') return text;
      if (c == '\\') {
        if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\\')) refuse("an unknown escape");
        c = text_[at_++];
      }
      text += c;
    }
  }

  Json parse(int depth) {
    Json value;
    skip_spaces();
    if (at_ >= text_.size()) refuse("the text ends too early");
    if (text_[at_] == '"') {
      value.kind = Json::Kind::string;
      value.text = quoted();
      return value;
    }
    if (text_[at_] != '{') {
      value.kind = Json::Kind::integer;
      const char* const end = text_.data() + text_.size();
      const auto [stop, error] = std::from_chars(text_.data() + at_, end, value.number);
      if (error != std::errc()) refuse("an integer, a string or { is missing");
      at_ = static_cast<std::size_t>(stop - text_.data());
      return value;
    }
    if (depth > 8) refuse("nested too deeply");
    expect('{', "{ is missing");
    if (take('}')) return value;
    do {
      const std::string name = quoted();
      expect(':', ": is missing");
      if (!value.members.emplace(name, parse(depth + 1)).second) refuse("a name stands twice");
    } while (take(','));
    expect('}', "} is missing");
    return value;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

const Json& Json::at(const std::string& name) const {
  const auto found = members.find(name);
  if (found == members.end()) fail("it has no \"", name, "\"");
  return found->second;
}

std::int64_t Json::integer() const {
  if (kind != Kind::integer) fail("an integer is wanted");
  return number;
}

const std::string& Json::string() const {
  if (kind != Kind::string) fail("a string is wanted");
  return text;
}

Json parse_json(const std::string& text) { return Parser(text).document(); }

std::string json_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace tesserec::store
