// SPDX-License-Identifier: Apache-2.0
#include "time_guess.hpp"

#include <algorithm>

#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/times.hpp>

namespace tesserec::preprocess {
namespace {

using raw::parse_time;
using raw::ParsedTime;

/// Returns the form of time that a text has, other than a pattern, or "". Counts since 1970 must lie in the years 2000
/// to 2099. YYMMDDHH is looked for where `hours`.
std::string named_form(const std::string& text, bool hours) {
  ParsedTime time;
  if (parse_time(text, "iso", time)) return "iso";
  if (hours && parse_time(text, "yymmddhh", time)) return "yymmddhh";
  double value = 0;
  if (!raw::number_fault(text, value).empty()) return {};
  constexpr double from = 946684800, to = 4102444800;  // seconds of the years 2000 and 2100
  double unit = 1;
  for (const char* form : {"epoch", "epoch_ms", "epoch_us", "epoch_ns"}) {
    if (value >= unit * from && value < unit * to) return form;
    unit *= 1000;
  }
  return {};
}

/// Returns the patterns that are looked for.
const std::vector<std::string>& known_patterns() {
  static const auto all = [] {
    std::vector<std::string> patterns = {"%Y%m%d", "%Y%m%d%H", "%Y%m%d%H%M", "%Y%m%d%H%M%S"};
    for (const std::string date :
         {"%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%y/%m/%d", "%y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y",
          "%m-%d-%Y", "%d-%m-%Y", "%Y-%m-%d", "%d-%b-%Y", "%d-%b-%y", "%d/%b/%Y", "%d %b %Y", "%b %d %Y", "%b %d, %Y"})
      for (const std::string clock :
           {"", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", ":%H:%M:%S %z", ", %I:%M:%S %p"})
        patterns.push_back(date + clock);
    return patterns;
  }();
  return all;
}

/// Returns whether a text has a pattern. One of digits alone has all of them, and a year from 1900 to 2099.
bool has_pattern(const std::string& text, const std::string& pattern) {
  ParsedTime time;
  if (!parse_time(text, pattern, time)) return false;
  if (text.find_first_not_of("0123456789") != std::string::npos) return true;
  return text.size() == raw::time_example(pattern).size() && (text.starts_with("19") || text.starts_with("20"));
}

}  // namespace

void TimeForms::add(const std::string& text) {
  ++texts_;
  if (const std::string form = named_form(text, hours_); !form.empty()) ++named_[form];
  if (!patterns_) patterns_ = known_patterns();
  std::erase_if(*patterns_, [&](const std::string& pattern) { return !has_pattern(text, pattern); });
}

TimeGuess TimeForms::guess() const {
  TimeGuess guess;
  for (const auto& [form, count] : named_)
    if (count > guess.times) {
      guess.form = form;
      guess.times = count;
    }
  if (!patterns_ || patterns_->empty() || (guess.times == texts_ && (guess.form == "iso" || guess.form == "yymmddhh")))
    return guess;
  guess.form = patterns_->front();
  guess.times = texts_;
  guess.others.assign(patterns_->begin() + 1, patterns_->end());
  return guess;
}

}  // namespace tesserec::preprocess
