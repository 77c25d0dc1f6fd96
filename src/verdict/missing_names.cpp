// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <tesserec/core/text.hpp>
#include <tesserec/verdict/judge.hpp>

namespace tesserec::verdict {
namespace {

constexpr std::size_t shortest_sequence = 3;  // files that make a sequence

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Name cut into texts and numbers between them: texts.size() == numbers.size() + 1.
struct CutName {
  std::vector<std::string> texts, numbers;
};

CutName cut_name(const std::string& name) {
  CutName cut;
  cut.texts.emplace_back();
  bool in_number = false;
  for (const char c : name) {
    if (is_digit(c) && !in_number) cut.numbers.emplace_back();
    if (!is_digit(c) && in_number) cut.texts.emplace_back();
    in_number = is_digit(c);
    (in_number ? cut.numbers : cut.texts).back() += c;
  }
  if (in_number) cut.texts.emplace_back();
  return cut;
}

/// Returns the day since 1970 of a date, or nothing if there is no such date between 1970 and 2099.
std::optional<Index> day_of(const std::string& year, const std::string& month, const std::string& day) {
  if (year.size() != 4 || month.size() != 2 || day.size() != 2) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(std::stoi(year)),
                                         std::chrono::month(unsigned(std::stoi(month))),
                                         std::chrono::day(unsigned(std::stoi(day)))};
  if (!date.ok() || year < "1970" || year > "2099") return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<Index> day_of(const std::string& digits) {
  if (digits.size() != 8) return std::nullopt;
  return day_of(digits.substr(0, 4), digits.substr(4, 2), digits.substr(6));
}

/// Returns the year, month and day of a day since 1970, as digits.
std::array<std::string, 3> date_of(Index day) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  return {std::to_string(int(date.year())), right(std::to_string(unsigned(date.month())), 2, '0'),
          right(std::to_string(unsigned(date.day())), 2, '0')};
}

/// Part of the names that counts: one number, a date of eight digits, or a date of three numbers.
struct Counter {
  std::size_t first = 0, size = 0;  ///< numbers of the name
  bool date = false;

  std::optional<Index> value(const CutName& name) const {
    const std::vector<std::string>& n = name.numbers;
    if (size == 3) return day_of(n[first], n[first + 1], n[first + 2]);
    if (date) return day_of(n[first]);
    return n[first].size() > 15 ? std::nullopt : parse_number<Index>(n[first]);
  }

  std::string name(CutName like, Index value) const {
    if (date) {
      const std::array<std::string, 3> texts = date_of(value);
      if (size == 3)
        std::copy(texts.begin(), texts.end(), like.numbers.begin() + std::ptrdiff_t(first));
      else
        like.numbers[first] = texts[0] + texts[1] + texts[2];
    } else {
      const bool padded = like.numbers[first].size() > 1 && like.numbers[first].front() == '0';
      like.numbers[first] = right(std::to_string(value), padded ? like.numbers[first].size() : 1, '0');
    }
    std::string text = like.texts[0];
    for (std::size_t n = 0; n < like.numbers.size(); ++n) text += like.numbers[n] + like.texts[n + 1];
    return text;
  }
};

/// Returns the part of names with equal texts that counts, or nothing.
std::optional<Counter> counter_of(const std::vector<CutName>& names) {
  std::vector<std::size_t> varying;
  for (std::size_t n = 0; n < names[0].numbers.size(); ++n)
    if (std::any_of(names.begin(), names.end(),
                    [&](const CutName& name) { return name.numbers[n] != names[0].numbers[n]; }))
      varying.push_back(n);
  if (varying.empty()) return std::nullopt;
  const auto fits = [&](const Counter& counter) {
    return std::all_of(names.begin(), names.end(),
                       [&](const CutName& name) { return counter.value(name).has_value(); });
  };
  const std::size_t last = varying.back();
  for (std::size_t first = last < 2 ? 0 : last - 2; first <= varying.front() && first + 3 <= names[0].numbers.size();
       ++first)
    if (const Counter dates{first, 3, true}; last < first + 3 && fits(dates)) return dates;
  if (varying.size() > 1) return std::nullopt;
  if (const Counter dates{last, 1, true}; fits(dates)) return dates;
  if (const Counter numbers{last, 1, false}; fits(numbers)) return numbers;
  return std::nullopt;
}

}  // namespace

MissingNames missing_names(const std::vector<std::string>& paths, std::size_t most) {
  std::map<std::vector<std::string>, std::vector<CutName>> groups;
  for (const std::string& path : paths) {
    CutName cut = cut_name(path);
    groups[cut.texts].push_back(std::move(cut));
  }
  MissingNames missing;
  for (const auto& group : groups) {
    const std::vector<CutName>& names = group.second;
    if (names.size() < shortest_sequence) continue;
    const std::optional<Counter> counter = counter_of(names);
    if (!counter) continue;
    std::map<Index, const CutName*> found;
    for (const CutName& name : names) found[*counter->value(name)] = &name;
    Index step = 0;
    for (auto at = std::next(found.begin()); at != found.end(); ++at)
      step = std::gcd(step, at->first - std::prev(at)->first);
    const Index first = found.begin()->first, last = found.rbegin()->first;
    const Index absent = step == 0 ? 0 : (last - first) / step + 1 - std::ssize(found);
    if (absent == 0 || absent > std::ssize(found)) continue;
    missing.count += absent;
    for (auto at = std::next(found.begin()); at != found.end(); ++at)
      for (Index value = std::prev(at)->first + step; value < at->first && missing.names.size() < most; value += step)
        missing.names.push_back(counter->name(*std::prev(at)->second, value));
  }
  return missing;
}

}  // namespace tesserec::verdict
