// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <tesserec/core/text.hpp>
#include <tesserec/core/utc.hpp>

namespace tesserec {

std::string date_text(Index date) {
  const std::chrono::year_month_day day{std::chrono::sys_days(std::chrono::days(date))};
  return concat(right(std::to_string(int(day.year())), 4, '0'), "-",
                right(std::to_string(unsigned(day.month())), 2, '0'), "-",
                right(std::to_string(unsigned(day.day())), 2, '0'));
}

std::string instant_text(Index instant) {
  const auto at = std::chrono::floor<std::chrono::seconds>(std::chrono::microseconds(instant));
  const auto date = std::chrono::floor<std::chrono::days>(at);
  const Index seconds = (at - date).count();
  const auto two = [](Index number) { return right(std::to_string(number), 2, '0'); };
  return concat(date_text(date.count()), " ", two(seconds / 3600), ":", two(seconds / 60 % 60), ":", two(seconds % 60));
}

}  // namespace tesserec
