// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdio>

#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>

namespace tesserec {
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
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
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
  bool take_word(const std::string& word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }

  // \u0000 to \u00ff stand for one byte, as json_quoted writes them.
  char escaped() {
    if (at_ >= text_.size()) refuse("the text ends too early");
    const char c = text_[at_++];
    if (c == '"' || c == '\\' || c == '/') return c;
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c == 'r') return '\r';
    if (c == 'b') return '\b';
    if (c == 'f') return '\f';
    unsigned code = 0;
    if (c != 'u' || at_ + 4 > text_.size()) refuse("an unknown escape");
    const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    if (error != std::errc() || stop != text_.data() + at_ + 4 || code > 0xff) refuse("an unknown escape");
    at_ += 4;
    return static_cast<char>(code);
  }

  std::string quoted() {
    expect('"', "a string is missing");
    std::string text;
    while (true) {
      if (at_ >= text_.size()) refuse("a string without an end");
      const char c = text_[at_++];
      if (c == '"') return text;
      text += c == '\\' ? escaped() : c;
    }
  }

  Json number() {
    Json value;
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const auto [real_end, real_error] = std::from_chars(begin, end, value.real);
    const bool digit = begin != end && ((*begin >= '0' && *begin <= '9') || *begin == '-');
    if (!digit || real_error != std::errc()) refuse("a value is missing");
    const auto [whole_end, whole_error] = std::from_chars(begin, end, value.whole);
    value.kind = whole_error == std::errc() && whole_end == real_end ? Json::Kind::integer : Json::Kind::number;
    at_ += static_cast<std::size_t>(real_end - begin);
    return value;
  }

  Json parse(int depth) {
    Json value;
    skip_spaces();
    if (depth > 16) refuse("nested too deeply");
    if (at_ >= text_.size()) refuse("the text ends too early");
    if (text_[at_] == '"') {
      value.kind = Json::Kind::string;
      value.text = quoted();
    } else if (take('{')) {
      value.kind = Json::Kind::object;
      if (take('}')) return value;
      do {
        const std::string name = quoted();
        expect(':', ": is missing");
        if (!value.members.emplace(name, parse(depth + 1)).second) refuse("a name stands twice");
      } while (take(','));
      expect('}', "} is missing");
    } else if (take('[')) {
      value.kind = Json::Kind::array;
      if (take(']')) return value;
      do value.elements.push_back(parse(depth + 1));
      while (take(','));
      expect(']', "] is missing");
    } else if (take_word("null")) {
      return value;
    } else if (take_word("true") || take_word("false")) {
      value.kind = Json::Kind::boolean;
      value.boolean = text_[at_ - 2] == 'u';
    } else {
      return number();
    }
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
  return whole;
}

double Json::number() const {
  if (kind != Kind::integer && kind != Kind::number) fail("a number is wanted");
  return real;
}

const std::string& Json::string() const {
  if (kind != Kind::string) fail("a string is wanted");
  return text;
}

const std::vector<Json>& Json::array() const {
  if (kind != Kind::array) fail("a list is wanted");
  return elements;
}

Json parse_json(const std::string& text) { return Parser(text).document(); }

std::string json_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      quoted += code;
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace tesserec
