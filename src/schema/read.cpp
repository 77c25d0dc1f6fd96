// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/schema/read.hpp>
#include <tesserec/schema/suggest.hpp>

namespace tesserec::schema {
namespace {

[[noreturn]] void refuse(const Value& value, const std::string& path, const std::string& must) {
  fail(value.where, ": ", path, " must be ", must, ", but is ", value.words());
}

/// Returns the reason why a text is not of the form, or "" if it is.
std::string fault_of(const std::string& text, Text form) {
  switch (form) {
    case Text::any:
      return "";
    case Text::path:
      return path_fault(text);
    case Text::filled:
      return text.empty() ? "it is empty" : path_fault(text);
    case Text::name:
      return name_fault(text);
    case Text::letter:
      return text.size() == 1 && text != "\n" && text != "\r" ? "" : "it is not one byte, or it is a line end";
  }
  return "";
}

/// Returns a value's text, which an override may give without quotes.
const std::string& written(const Value& value) { return value.kind == Kind::text ? value.text : value.raw; }

/// Returns the bytes that a text such as "1.5 GiB" says, or nothing if it says none or more than fit an Index.
std::optional<Index> bytes_of(std::string_view text) {
  static const std::pair<std::string_view, double> units[] = {
      {"B", 1},        {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},
      {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
  };
  const std::size_t end = std::min(text.find_first_not_of("0123456789.+-"), text.size());
  const std::optional<double> number = parse_number<double>(text.substr(0, end));
  text.remove_prefix(end);
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto* const unit = std::ranges::find(units, text, &std::pair<std::string_view, double>::first);
  if (!number || unit == std::end(units)) return std::nullopt;
  const double bytes = std::round(*number * unit->second);
  return std::fabs(bytes) < 0x1p63 ? std::optional(Index(bytes)) : std::nullopt;
}

}  // namespace

std::string Integers::words() const {
  if (high == no_limit) return "at least " + std::to_string(low);
  return std::to_string(low) + " to " + (high == step_limit ? "2^53" : std::to_string(high));
}

std::string Numbers::words() const {
  const auto plain = [](double x) { return x == std::floor(x) && std::fabs(x) < 1e6 ? fixed(x, 0) : shortest(x); };
  if (open) return "at least " + plain(low) + ", below " + plain(high);
  return (min_magnitude > 0.0 ? plain(0.0) + ", or " + plain(min_magnitude) : plain(low)) + " to " + plain(high);
}

std::string text_words(Text form) {
  switch (form) {
    case Text::any:
      return "";
    case Text::path:
      return "no control characters";
    case Text::filled:
      return "not empty, no control characters";
    case Text::name:
      return "not empty, at most 200 bytes, no '/', no control characters";
    case Text::letter:
      return "one character";
  }
  return "";
}

std::string length_words(Length length) {
  if (length.low == length.high) return std::to_string(length.low) + " entries";
  if (length.low == 0) return "";
  return "at least " + std::to_string(length.low) + (length.low == 1 ? " entry" : " entries");
}

bool read_boolean(const Value& value, const std::string& path) {
  if (value.kind != Kind::boolean) refuse(value, path, "true or false");
  return value.boolean;
}

Index read_integer(const Value& value, const std::string& path, const Integers& range) {
  const std::string must = "an integer, " + range.words();
  if (value.kind != Kind::integer) refuse(value, path, must);
  if (value.integer < range.low || value.integer > range.high) refuse(value, path, must);
  return value.integer;
}

Index read_bytes(const Value& value, const std::string& path, const Integers& range) {
  const std::optional<Index> bytes = value.kind == Kind::integer ? value.integer : bytes_of(written(value));
  if (!bytes || *bytes < range.low || *bytes > range.high)
    refuse(value, path, "a number of bytes or a text such as \"1 GiB\", " + range.words());
  return *bytes;
}

double read_number(const Value& value, const std::string& path, const Numbers& range) {
  const std::string must = "a finite number, " + range.words();
  if (value.kind != Kind::number && value.kind != Kind::integer) refuse(value, path, must);
  const double number = value.kind == Kind::integer ? double(value.integer) : value.number;
  if (!std::isfinite(number) || number < range.low || number > range.high || (range.open && number == range.high) ||
      (number != 0.0 && std::fabs(number) < range.min_magnitude))
    refuse(value, path, must);
  return number == 0.0 ? 0.0 : number;  // -0 becomes 0
}

std::string read_text(const Value& value, const std::string& path, Text form) {
  const std::string rule = text_words(form);
  const bool typed = !value.raw.empty() && value.kind != Kind::list && value.kind != Kind::table;
  if (value.kind != Kind::text && !typed) refuse(value, path, "text" + (rule.empty() ? "" : " (" + rule + ")"));
  const std::string& text = written(value);
  if (const std::string fault = fault_of(text, form); !fault.empty())
    fail(value.where, ": ", path, " must be text (", rule, "), but is ", value.words(), ": ", fault,
         text.find_first_of("\b\t\n\f\r") == std::string::npos
             ? ""
             : "; in double quotes a backslash starts an escape sequence, so write such text in single quotes");
  return text;
}

std::size_t read_choice(const Value& value, const std::string& path, const std::vector<std::string>& choices) {
  const std::string& text = written(value);
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found != choices.end()) return found - choices.begin();
  const std::string near = value.kind == Kind::text ? nearest(text, choices) : "";
  fail(value.where, ": ", path, " must be one of ", join(choices, " | "), ", but is ", value.words(),
       near.empty() ? "" : "; did you mean \"" + near + "\"?");
}

void read_list(const Value& value, const std::string& path, Length length, bool allow_single,
               const std::function<void(const Value&, const std::string&)>& read) {
  if (allow_single &&
      (value.kind == Kind::text || (!value.raw.empty() && value.kind != Kind::list && value.kind != Kind::table)))
    return read(value, path);
  const std::string rule = length_words(length);
  const std::string must = "a list" + (rule.empty() ? "" : " of " + rule);
  if (value.kind != Kind::list) refuse(value, path, must);
  if (value.list.size() < length.low || value.list.size() > length.high)
    fail(value.where, ": ", path, " must be ", must, ", but has ", value.list.size());
  for (std::size_t i = 0; i < value.list.size(); ++i) read(value.list[i], path + "[" + std::to_string(i) + "]");
}

}  // namespace tesserec::schema
