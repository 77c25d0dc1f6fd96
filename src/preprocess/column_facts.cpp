// SPDX-License-Identifier: Apache-2.0
#include "column_facts.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/fields.hpp>
#include <tesserec/raw/times.hpp>

namespace tesserec::preprocess {
namespace {

void add_number(double value, ColumnFacts& facts) {
  facts.low = facts.numbers == 0 ? value : std::min(facts.low, value);
  facts.high = facts.numbers == 0 ? value : std::max(facts.high, value);
  ++facts.numbers;
  const double step = value - facts.mean;
  facts.mean += step / double(facts.numbers);
  facts.deviation += step * (value - facts.mean);  // sum of squares until facts_of() divides
}

/// Returns whether a number of digits alone, with a sign.
bool is_integer_text(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns whether a text is a number with a decimal comma.
bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || !is_integer_text(text.substr(0, comma))) return false;
  const std::string_view fraction = text.substr(comma + 1);
  return is_integer_text(fraction) && !fraction.starts_with('-');
}

/// Returns whether a text is a number with a sign of money or percent, or with groups of three digits: "$3.50", "15%",
/// "1,250", "1.250,00".
bool is_written_number(std::string_view text) {
  bool has_sign = false;
  if (text.starts_with('-')) text.remove_prefix(1);
  for (const std::string_view sign : {"$", "€", "£", "%"}) {
    if (text.starts_with(sign) && sign != "%")
      text.remove_prefix(sign.size());
    else if (text.ends_with(sign))
      text.remove_suffix(sign.size());
    else
      continue;
    has_sign = true;
    text = trimmed(text);
  }
  const auto digits = [&] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  const std::size_t first = digits();
  if (first == 0) return false;
  Index groups = 0;
  const char mark = text.empty() ? ' ' : text.front();
  if (first <= 3 && (mark == ',' || mark == '.'))
    for (std::string_view rest = text; rest.starts_with(mark); text = rest, ++groups) {
      rest.remove_prefix(1);
      if (std::min(rest.find_first_not_of("0123456789"), rest.size()) != 3) break;
      rest.remove_prefix(3);
    }
  if (!text.empty() && (text.front() == ',' || text.front() == '.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty() && (has_sign || groups > 0);
}

/// Finds texts beside numbers that may mean a missing value.
void find_others(const std::unordered_map<std::string_view, Index>& counts, ColumnFacts& facts) {
  constexpr std::size_t most = 3;
  if (10 * facts.numbers < facts.present() || facts.numbers == facts.present()) return;
  for (const auto& [text, count] : counts)
    if (double value = 0; !number_fault(text, value).empty() && facts.others.size() <= most)
      facts.others.emplace_back(text);
  if (facts.others.size() > most) facts.others.clear();
  std::sort(facts.others.begin(), facts.others.end());
}

/// Finds the character that divides the texts into values that come again.
void find_separator(const std::unordered_map<std::string_view, Index>& counts, ColumnFacts& facts) {
  for (const char separator : std::string_view("|;,^ ")) {
    std::set<std::string_view> tokens;
    Index separated = 0, values = 0;
    for (const auto& [text, count] : counts) {
      if (text.find(separator) != std::string_view::npos) separated += count;
      for (std::string_view rest = text;;) {
        const std::size_t stop = rest.find(separator);
        if (const std::string_view token = trimmed(rest.substr(0, stop)); !token.empty()) {
          tokens.insert(token);
          ++values;
        }
        if (stop == std::string_view::npos) break;
        rest.remove_prefix(stop + 1);
      }
    }
    // Values of a set come again in other sets. Commas and spaces also stand in texts, whose words do so less often.
    const Index different = std::ssize(tokens);
    Index least = different + 1;
    if (separator == ',') least = 2 * different;
    if (separator == ' ') least = 5 * different;
    if (separated * 10 < facts.present() || values < least) continue;
    facts.separator = separator;
    facts.separated = separated;
    facts.tokens = different;
    return;
  }
}

/// Returns the words of a name in lower case, some of them empty: "user", "id" of "UserID" and "user_id".
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool begins = std::isupper(c) != 0 && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
    if (std::isalpha(c) == 0 || begins) parts.emplace_back();
    if (std::isalpha(c) != 0) parts.back() += char(std::tolower(c));
  }
  return parts;
}

bool is_word_of(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Returns 0 or 1 as a text says it, in a word or a number, or -1.
int truth_of(std::string_view text) {
  std::string word(trimmed(text));
  for (char& c : word) c = char(std::tolower(static_cast<unsigned char>(c)));
  if (is_word_of({"true", "yes", "y", "t"}, word)) return 1;
  if (is_word_of({"false", "no", "n", "f"}, word)) return 0;
  double value = 0;
  return number_fault(word, value).empty() && (value == 0 || value == 1) ? int(value) : -1;
}

/// Finds the spellings of 0 and 1, if all texts are such ones.
void find_spellings(const std::unordered_map<std::string_view, Index>& counts, ColumnFacts& facts) {
  Spellings found;
  for (const auto& [text, count] : counts) {
    const int truth = truth_of(text);
    if (truth < 0) return;
    (truth == 1 ? found.one : found.zero).emplace_back(text);
    if (truth == 1) found.ones += count;
  }
  if (found.zero.empty() || found.one.empty()) return;
  std::ranges::sort(found.zero);
  std::ranges::sort(found.one);
  facts.spellings = std::move(found);
}

}  // namespace

std::string ColumnFacts::examples() const {
  return join(frequent, ", ", [&](const std::pair<std::string, Index>& text) {
    return concat(shown(text.first), " (", significant(100.0 * double(text.second) / double(rows), 3), " %)");
  });
}

ColumnFacts facts_of(const std::string& name, const std::vector<std::string>& texts,
                     const std::vector<std::string>& missing) {
  ColumnFacts facts;
  facts.name = name;
  facts.rows = std::ssize(texts);
  std::unordered_map<std::string_view, Index> counts;
  facts.ascends = true;
  double last = -std::numeric_limits<double>::infinity();
  TimeForms forms(has_word(name, {"hour", "hours"}));
  for (const std::string& text : texts) {
    if (std::find(missing.begin(), missing.end(), text) != missing.end()) {
      ++facts.missing;
      continue;
    }
    ++counts[text];
    facts.longest = std::max(facts.longest, text.size());
    facts.decimal_commas += has_decimal_comma(text) ? 1 : 0;
    facts.written += is_written_number(text) ? 1 : 0;
    facts.brackets += text.starts_with('[') && text.ends_with(']') ? 1 : 0;
    double value = 0;
    if (number_fault(text, value).empty()) {
      add_number(value, facts);
      facts.integers += is_integer_text(text);
    }
    facts.ascends = facts.ascends && is_integer_text(text) && value > last;
    last = value;
    forms.add(text);
  }
  facts.distinct = std::ssize(counts);
  for (const auto& [text, count] : counts)
    if (double value = 0; facts.distinct <= few_texts && number_fault(text, value).empty())
      facts.few_numbers[value] += count;
  if (facts.numbers > 0) facts.deviation = std::sqrt(facts.deviation / double(facts.numbers));
  facts.time = forms.guess();
  facts.only_days = facts.time.times == facts.present() && std::ranges::all_of(counts, [&](const auto& text) {
                      constexpr Index day = Index{24} * 3600 * 1'000'000;  // microseconds
                      ParsedTime time;
                      return parse_time(text.first, facts.time.form, time) && time.instant == day * time.date;
                    });
  std::vector<std::pair<std::string, Index>> all(counts.begin(), counts.end());
  const auto shown_texts = std::min<std::ptrdiff_t>(3, std::ssize(all));
  std::partial_sort(all.begin(), all.begin() + shown_texts, all.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  facts.frequent.assign(all.begin(), all.begin() + shown_texts);
  find_others(counts, facts);
  if (facts.distinct <= few_texts) find_spellings(counts, facts);
  if (facts.numbers < facts.present() && facts.time.times < facts.present()) find_separator(counts, facts);
  return facts;
}

bool has_word(const std::string& name, const std::vector<std::string>& words) {
  const std::vector<std::string> parts = parts_of(name);
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) { return is_word_of(words, part); });
}

bool has_only_words(const std::string& name, const std::vector<std::string>& words) {
  const std::vector<std::string> parts = parts_of(name);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return part.empty() || is_word_of(words, part); });
}

}  // namespace tesserec::preprocess
