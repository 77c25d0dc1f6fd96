// SPDX-License-Identifier: Apache-2.0
#include "time_pattern.hpp"

#include <algorithm>
#include <cctype>

#include "time_parts.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::raw {
namespace {

/// Conversion of a pattern, and its text in an example.
struct Conversion {
  char letter;
  const char* example;
};
constexpr Conversion conversions[] = {{'Y', "2014"}, {'y', "14"}, {'m', "10"}, {'b', "Oct"},
                                      {'d', "21"},   {'H', "09"}, {'I', "09"}, {'p', "AM"},
                                      {'M', "08"},   {'S', "07"}, {'f', "5"},  {'z', "+0000"}};

/// Numbers that the conversions of a pattern read.
struct TimeFields {
  int year = 0, month = 1, day = 1;
  int hour = 0, minute = 0, second = 0;
  bool afternoon = false;
  Index fraction = 0;  ///< microseconds
  int offset = 0;      ///< minutes by which the writer's clock is ahead
};

/// Takes one digit or two, of a number from `least` to `largest`.
bool take_number(std::string_view& text, int least, int largest, int& number) {
  const bool two = text.size() > 1 && is_digit(text[1]);
  return take_digits(text, two ? 2 : 1, number) && number >= least && number <= largest;
}

/// Takes a word, in letters of any case.
bool take_word(std::string_view& text, std::string_view word) {
  const auto lower = [](char c) { return char(std::tolower(static_cast<unsigned char>(c))); };
  if (!std::ranges::equal(text.substr(0, word.size()), word, {}, lower)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Takes the English name of a month, or its first three letters.
bool take_month(std::string_view& text, int& month) {
  constexpr std::string_view months[] = {"january", "february", "march",     "april",   "may",      "june",
                                         "july",    "august",   "september", "october", "november", "december"};
  for (month = 1; month <= 12; ++month)
    if (const auto name = months[month - 1]; take_word(text, name) || take_word(text, name.substr(0, 3))) return true;
  return false;
}

bool take_half(std::string_view& text, bool& afternoon) {
  afternoon = take_word(text, "pm");
  return afternoon || take_word(text, "am");
}

/// Takes what a conversion stands for.
bool take_field(char letter, std::string_view& text, TimeFields& fields) {
  switch (letter) {
    case 'Y':
      return take_digits(text, 4, fields.year);
    case 'y':
      if (!take_digits(text, 2, fields.year)) return false;
      fields.year += fields.year < 69 ? 2000 : 1900;
      return true;
    case 'm':
      return take_number(text, 1, 12, fields.month);
    case 'b':
      return take_month(text, fields.month);
    case 'd':
      return take_number(text, 1, 31, fields.day);
    case 'H':
      return take_number(text, 0, 23, fields.hour);
    case 'I':
      if (!take_number(text, 1, 12, fields.hour)) return false;
      fields.hour %= 12;
      return true;
    case 'p':
      return take_half(text, fields.afternoon);
    case 'M':
      return take_number(text, 0, 59, fields.minute);
    case 'S':
      return take_number(text, 0, 60, fields.second);
    case 'f':
      return take_fraction_digits(text, 6, fields.fraction);
    case 'z':
      return take_offset(text, fields.offset);
    default:  // %%
      return take_letter(text, letter);
  }
}

/// Piece of a pattern: a conversion or a character. The letter of a % at the end is 0.
struct PatternPiece {
  bool is_conversion;
  char letter;
};

PatternPiece take_piece(std::string_view& pattern) {
  PatternPiece piece{pattern.front() == '%', pattern.front()};
  pattern.remove_prefix(1);
  if (!piece.is_conversion) return piece;
  piece.letter = pattern.empty() ? char(0) : pattern.front();
  pattern = pattern.substr(std::min<std::size_t>(1, pattern.size()));
  return piece;
}

/// Returns the letters of a pattern's conversions, without those of %%.
std::string letters_of(std::string_view pattern) {
  std::string letters;
  while (!pattern.empty())
    if (const PatternPiece piece = take_piece(pattern); piece.is_conversion && piece.letter != '%')
      letters += piece.letter;
  return letters;
}

/// Returns a conversion by its letter, or null.
const Conversion* conversion_of(char letter) {
  const auto* const found = std::ranges::find_if(conversions, [&](auto& one) { return one.letter == letter; });
  return found == std::end(conversions) ? nullptr : found;
}

}  // namespace

bool parse_pattern(std::string_view text, std::string_view pattern, ParsedTime& time) {
  TimeFields fields;
  while (!pattern.empty()) {
    const PatternPiece piece = take_piece(pattern);
    const bool taken = piece.is_conversion ? take_field(piece.letter, text, fields) : take_letter(text, piece.letter);
    if (!taken) return false;
  }
  if (!text.empty() || !set_date(fields.year, fields.month, fields.day, time)) return false;
  time.hour = fields.hour + (fields.afternoon ? 12 : 0);
  set_instant((60 * Index{fields.minute} + fields.second) * second + fields.fraction, fields.offset, time);
  return true;
}

std::string pattern_fault(std::string_view pattern) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  if (std::ranges::any_of(pattern, is_control)) return "has a control character";
  const std::string letters = letters_of(pattern);
  const auto has = [&](std::string_view some) { return letters.find_first_of(some) != std::string::npos; };
  for (const char letter : letters) {
    if (letter == 0) return "has a % without a letter";
    if (conversion_of(letter) == nullptr) return "has " + shown(std::string("%") + letter);
    if (std::ranges::count(letters, letter) > 1) return concat("has %", letter, " twice");
  }
  for (const std::string_view same : {"Yy", "mb", "HI"})
    if (has(same.substr(0, 1)) && has(same.substr(1))) return concat("has both %", same[0], " and %", same[1]);
  for (const std::string_view one : {"Yy", "mb"})
    if (!has(one)) return concat("lacks %", one[0], " or %", one[1]);
  if (!has("d")) return "lacks %d";
  if (has("I") != has("p")) return "has only one of %I and %p";
  ParsedTime time;
  if (!parse_pattern(pattern_example(pattern), pattern, time)) return "has digits right behind %f or %z";
  return {};
}

std::string pattern_example(std::string_view pattern) {
  std::string text;
  while (!pattern.empty()) {
    const PatternPiece piece = take_piece(pattern);
    const Conversion* const conversion = piece.is_conversion ? conversion_of(piece.letter) : nullptr;
    text += conversion == nullptr ? std::string(1, piece.letter) : conversion->example;
  }
  return text;
}

}  // namespace tesserec::raw
