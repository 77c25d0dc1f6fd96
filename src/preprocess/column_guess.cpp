// SPDX-License-Identifier: Apache-2.0
// Guesses of what a column means, by its name and by its texts.
#include <algorithm>
#include <cmath>

#include "column_facts.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/row_format.hpp>

namespace tesserec::preprocess {
namespace {

const std::vector<std::string> label_words = {"label",     "click",      "clicked",   "clicks", "target",
                                              "converted", "conversion", "purchased", "bought", "liked",
                                              "is_click",  "y",          "income"};
/// Words for user actions in names of 0/1 columns.
const std::vector<std::string> action_words = {"like",     "follow",    "comment",   "share",   "forward", "purchase",
                                               "buy",      "cart",      "order",     "convert", "install", "finish",
                                               "favorite", "favourite", "subscribe", "hate",    "dislike"};
const std::vector<std::string> rating_words = {"rating", "ratings", "stars", "score"};
const std::vector<std::string> id_words = {"id",       "ids",    "user",    "item",    "uid",      "movie",
                                           "video",    "ad",     "product", "zip",     "code",     "campaign",
                                           "device",   "site",   "app",     "shop",    "category", "type",
                                           "position", "userid", "itemid",  "movieid", "hash"};
const std::vector<std::string> count_words = {"count", "num",  "number",   "amount", "price",
                                              "age",   "year", "duration", "hours"};
const std::vector<std::string> positive_texts = {"1", "true", "True", "TRUE",  "yes",    "Yes",
                                                 "y", "Y",    "t",    "click", "clicked"};
const std::vector<std::string> time_words = {"time", "timestamp", "date", "datetime", "hour",
                                             "when", "ts",        "day",  "at"};

std::string share(Index part, Index all) {
  return significant(all == 0 ? 0.0 : 100.0 * double(part) / double(all), 3) + " %";
}

/// Returns a number with at most four digits, or without a fraction.
std::string amount(double number) { return std::abs(number) < 1000 ? significant(number, 4) : fixed(number, 0); }

std::string values_of(const ColumnFacts& facts) {
  return concat(counted(facts.distinct, "value"), " in ", facts.present(), " rows, ", facts.examples());
}

/// Returns the text of a label of two values that means 1: a word for it, the larger number, or the rarer text.
std::string positive_of(const ColumnFacts& facts) {
  const std::string &common = facts.frequent[0].first, &rare = facts.frequent[1].first;
  for (const std::string& text : positive_texts)
    if (text == common || text == rare) return text;
  double a = 0, b = 0;
  if (number_fault(common, a).empty() && number_fault(rare, b).empty()) return a > b ? common : rare;
  return rare;
}

ColumnGuess binary_label(const ColumnFacts& facts) {
  if (facts.distinct > 2) {
    ColumnGuess guess{{facts.name, ColumnKind::label}, ""};
    guess.column.negative = facts.spellings.zero;
    guess.column.positive = facts.spellings.one;
    guess.reason = concat("two values in ", facts.distinct, " spellings, 1 in ",
                          share(facts.spellings.ones, facts.rows), " of ", facts.rows, " rows");
    return guess;
  }
  const std::string positive = positive_of(facts);
  const bool first = facts.frequent[0].first == positive;
  ColumnGuess guess{{facts.name, ColumnKind::label}, ""};
  guess.column.positive = {positive};
  guess.column.negative = {facts.frequent[first ? 1 : 0].first};
  guess.reason = concat("two values, ", shown(positive), " in ",
                        share(facts.frequent[first ? 0 : 1].second, facts.rows), " of ", facts.rows, " rows");
  return guess;
}

/// Returns 4 of 5, or the lowest number that at most half of the rows reach, else the highest one.
double threshold_of(const ColumnFacts& facts) {
  constexpr double usual = 4, stars = 5;
  if (facts.high == stars && facts.low < usual) return usual;
  double threshold = facts.high;
  Index reach = 0;
  for (auto number = facts.few_numbers.rbegin(); number != facts.few_numbers.rend(); ++number) {
    reach += number->second;
    if (2 * reach > facts.present()) break;
    threshold = number->first;
  }
  return threshold;
}

/// Makes a label of a rating.
ColumnGuess rating_label(const ColumnFacts& facts) {
  ColumnGuess guess{{facts.name, ColumnKind::label}, ""};
  const double threshold = threshold_of(facts);
  guess.column.threshold = threshold;
  Index reach = 0;
  for (const auto& [number, count] : facts.few_numbers) reach += number >= threshold ? count : 0;
  guess.reason =
      concat("a rating from ", number_text(facts.low), " to ", number_text(facts.high), ", mean ", amount(facts.mean),
             "; ", share(reach, facts.rows), " of ", facts.rows, " rows reach ", number_text(threshold));
  return guess;
}

ColumnGuess skipped(const ColumnFacts& facts, const std::string& reason) {
  return {{facts.name, ColumnKind::skip}, reason};
}

ColumnGuess number_guess(const ColumnFacts& facts) {
  ColumnGuess guess{{facts.name, ColumnKind::number}, ""};
  const bool skewed = facts.low >= 0 && facts.high > 20 && facts.deviation > facts.mean;
  guess.column.transform = skewed ? Transform::log1p : Transform::standardise;
  guess.reason =
      concat(facts.distinct, " different numbers from ", number_text(facts.low), " to ", number_text(facts.high),
             ", mean ", amount(facts.mean), ", deviation ", amount(facts.deviation));
  if (facts.missing * 100 > facts.rows) {
    guess.column.missing_indicator = true;
    guess.reason += concat(", ", share(facts.missing, facts.rows), " missing");
  }
  return guess;
}

ColumnGuess category_guess(const ColumnFacts& facts) {
  ColumnGuess guess{{facts.name, ColumnKind::category}, values_of(facts)};
  if (facts.missing > 0) guess.reason += concat(", ", share(facts.missing, facts.rows), " missing");
  if (!facts.others.empty())
    guess.reason +=
        concat("; all but ", join(facts.others, " and ", [](const std::string& text) { return shown(text); }),
               " are numbers: if ", facts.others.size() == 1 ? "that means" : "these mean",
               " a missing value, add it to preprocess.missing and make this kind = \"number\"");
  return guess;
}

/// Returns whether each row has one of two values, however each is spelled, and both occur.
bool is_binary(const ColumnFacts& facts) {
  return facts.missing == 0 && (facts.distinct == 2 || !facts.spellings.one.empty());
}

/// Returns whether a column is 0 or 1 in all rows, and both occur.
bool is_zero_or_one(const ColumnFacts& facts) {
  return facts.distinct == 2 && facts.missing == 0 && facts.is_integer() && facts.low == 0 && facts.high == 1 &&
         positive_of(facts) == "1";
}

/// Returns whether a name says nothing but that a user acted: "purchase" and "is_like", but not "is_first_order".
bool is_action(const std::string& name) {
  std::vector<std::string> words = action_words;
  words.insert(words.end(), {"is", "has", "did"});
  return has_word(name, action_words) && has_only_words(name, words);
}

/// Returns whether integers are names of things rather than amounts.
bool are_ids(const ColumnFacts& facts) {
  constexpr double largest_amount = 1e9;
  if (std::max(std::abs(facts.low), std::abs(facts.high)) >= largest_amount) return true;
  if (has_word(facts.name, id_words)) return true;
  return facts.distinct <= 12 && !has_word(facts.name, count_words);
}

/// Makes a time, unless its texts have several forms.
ColumnGuess time_guess(const ColumnFacts& facts, const std::string& form) {
  const std::string example = shown(facts.frequent[0].first);
  if (facts.time.form == form && !facts.time.others.empty())
    return skipped(
        facts, concat("times, for example ", example, ", and they do not tell whether the form is ", shown(form),
                      " or ", join(facts.time.others, " or ", [](const std::string& other) { return shown(other); }),
                      "; make it kind = \"time\" with the right one"));
  ColumnGuess guess{{facts.name, ColumnKind::time}, concat("times, for example ", example)};
  guess.column.time = form;
  const bool has_days = facts.type && facts.type->text.starts_with("date");
  if (has_days || facts.only_days) guess.column.parts = {"weekday", "day"};
  guess.column.stored = facts.missing == 0;
  return guess;
}

}  // namespace

ColumnGuess guess_column(const ColumnFacts& facts) {
  if (facts.type && !facts.type->readable) return skipped(facts, "its type " + facts.type->text + " cannot be read");
  if (facts.present() == 0) return skipped(facts, "all values are missing");
  if (facts.distinct == 1) return skipped(facts, concat("one value in all rows, ", facts.examples()));
  if (facts.type && facts.type->list) {
    if (facts.type->floats && facts.frequent[0].first.find('.') != std::string::npos)
      return skipped(facts, concat("of type ", facts.type->text, ", a vector of numbers, for which there is no kind"));
    ColumnGuess guess{{facts.name, ColumnKind::category}, ""};
    guess.column.separator = std::string(1, facts.separator);
    guess.reason = concat("of type ", facts.type->text, ", and no element has ", shown(guess.column.separator));
    return guess;
  }
  if (facts.decimal_commas == facts.present())
    return skipped(facts, concat("numbers with a decimal comma, for example ", shown(facts.frequent[0].first),
                                 "; write a point, then make it kind = \"number\""));
  if (facts.written > 0 && !facts.is_numeric() && facts.written + facts.numbers >= facts.present())
    return skipped(facts, concat("numbers with signs or groups of digits, for example ", shown(facts.frequent[0].first),
                                 "; write digits and a point alone, then make it kind = \"number\""));
  if (facts.brackets == facts.present() && facts.separator != 0)
    return skipped(facts, concat("lists in brackets, for example ", shown(facts.frequent[0].first),
                                 "; write the values alone, then make it kind = \"category\" with a separator"));
  const bool has_type =
      facts.type && (facts.type->text.starts_with("timestamp") || facts.type->text.starts_with("date"));
  const bool named_time = has_type || has_word(facts.name, time_words);
  const bool typed = has_type && facts.is_numeric();  // seconds since 1970, of any year
  if (typed) return time_guess(facts, "epoch");
  // Numbers may also be amounts or ids, and 1.2.13 a version.
  const bool is_doubtful = facts.is_numeric() || facts.time.form.find("%y") != std::string::npos;
  if (facts.time.times == facts.present() && (named_time || !is_doubtful)) return time_guess(facts, facts.time.form);
  // Days as YYYYMMDD, or micro- or nanoseconds of any origin, of which later rows have others.
  constexpr double first_day = 19000101, last_day = 21001231, first_microsecond = 946684800e6;
  const bool like_times = (facts.low >= first_day && facts.high <= last_day) || facts.low >= first_microsecond;
  if (named_time && facts.is_integer() && like_times)
    return skipped(facts, concat("times, for example ", shown(facts.frequent[0].first),
                                 ", which do not all have one form; correct them, then make it kind = \"time\""));
  const bool names_thing =
      has_word(facts.name, {"user", "item", "uid", "movie", "video", "product", "userid", "itemid"});
  const bool is_list = facts.separator != 0 && facts.separator != ' ';  // A space also stands in names and titles.
  if (facts.rows >= 20 && facts.is_unique() && !names_thing && !is_list && (!facts.is_numeric() || facts.ascends)) {
    // The texts behind the first rows may be longer.
    if (facts.longest > longest_key / 2)
      return skipped(facts, concat("another value in each row, of up to ", facts.longest,
                                   " bytes, too long for a key (at most ", longest_key, ")"));
    return {{facts.name, ColumnKind::key},
            concat("another value in each row, for example ", shown(facts.frequent[0].first))};
  }
  if (facts.separator != 0) {
    ColumnGuess guess{{facts.name, ColumnKind::category}, ""};
    guess.column.separator = std::string(1, facts.separator);
    guess.reason = concat(share(facts.separated, facts.rows), " of rows have several of ", facts.tokens,
                          " values, for example ", shown(facts.frequent[0].first));
    return guess;
  }
  if (facts.is_integer() && are_ids(facts)) return category_guess(facts);
  return facts.is_numeric() ? number_guess(facts) : category_guess(facts);
}

std::optional<ColumnGuess> further_label(const ColumnFacts& facts) {
  if (!is_zero_or_one(facts) || !(has_word(facts.name, label_words) || has_word(facts.name, action_words)))
    return std::nullopt;
  ColumnGuess guess = binary_label(facts);
  guess.reason +=
      "; by its name a further label, not a feature; if it is known before the row is scored, make it kind = "
      "\"category\" and take it from model.tasks and one output from model.top";
  return guess;
}

Index guess_label(const std::vector<ColumnFacts>& columns, ColumnGuess& guess) {
  Index found = -1;
  for (std::size_t c = 0; c < columns.size() && found < 0; ++c)
    if (is_binary(columns[c]) && has_word(columns[c].name, label_words)) found = Index(c);
  for (std::size_t c = 0; c < columns.size() && found < 0; ++c) {
    if (!columns[c].is_numeric() || columns[c].missing > 0 || columns[c].distinct < 3) continue;
    if (!has_word(columns[c].name, rating_words) || columns[c].few_numbers.size() < 2) continue;
    guess = rating_label(columns[c]);
    return Index(c);
  }
  for (std::size_t c = 0; c < columns.size() && found < 0; ++c)
    if (is_zero_or_one(columns[c]) && is_action(columns[c].name)) found = Index(c);
  // Without a name that says so, the label is the last column or the first one.
  if (found < 0 && !columns.empty() && is_binary(columns.back())) found = std::ssize(columns) - 1;
  if (found < 0 && !columns.empty() && is_binary(columns.front())) found = 0;
  for (std::size_t c = 0; c < columns.size() && found < 0; ++c)
    if (is_binary(columns[c])) found = Index(c);
  if (found >= 0) guess = binary_label(columns[found]);
  return found;
}

}  // namespace tesserec::preprocess
