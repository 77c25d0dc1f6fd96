// SPDX-License-Identifier: Apache-2.0
// Random forms of times, and texts that nearly have them. A form without a fault reads its own example, and what it
// reads lies in the years of four digits.
#include <random>
#include <string>

#include "catch.hpp"
#include "tests/fuzz/rounds.hpp"
#include <tesserec/raw/times.hpp>

using namespace tesserec;
using namespace tesserec::raw;

namespace {

std::string random_form(std::mt19937& random) {
  const std::string pieces[] = {"%Y", "%y", "%m", "%b", "%d", "%H", "%I %p", "%M", "%S", "%f", "%z",
                                "%%", "%",  "-",  "/",  " ",  ":",  ".",     "T",  "é",  "%q", "0"};
  const std::string named[] = {"epoch", "epoch_ms", "epoch_us", "epoch_ns", "iso", "yymmddhh"};
  if (random() % 4 == 0) return named[random() % std::size(named)];
  std::string form;
  for (const char* part : {"%Y", "%m", "%d"}) form += part + pieces[13 + random() % 6];
  for (auto more = random() % 6; more > 0; --more) form += pieces[random() % std::size(pieces)];
  return form;
}

/// Changes a few characters of a text: others, one less, or one more.
std::string changed(std::string text, std::mt19937& random) {
  const std::string letters = "0123456789 :-./+ZTAPMJane%\xff";
  for (auto changes = random() % 4; changes > 0; --changes) {
    const auto at = random() % (text.size() + 1);
    const char letter = letters[random() % letters.size()];
    const auto how = random() % 3;
    if (how == 0) text.insert(at, 1, letter);
    if (how == 1 && at < text.size()) text[at] = letter;
    if (how == 2 && at < text.size()) text.erase(at, 1);
  }
  return text;
}

}  // namespace

TEST_CASE("parse_time: random forms read their examples, and refuse or read texts like them") {
  constexpr Index most = 253'402'300'800 * 1'000'000 + Index{24} * 3600 * 1'000'000;  // the year 10000, and an offset
  std::mt19937 random(test::fuzz_seed(47));
  int read = 0, refused = 0;
  for (test::Rounds left(100000); left.next();) {
    const std::string form = random_form(random);
    if (!time_fault(form).empty()) continue;
    const std::string example = time_example(form), text = changed(example, random);
    INFO(form << ": " << text);
    ParsedTime time;
    if (!parse_time(example, form, time)) FAIL("refuses its example");
    if (!parse_time(text, form, time)) {
      ++refused;
      continue;
    }
    ++read;
    const bool in_range = time.hour >= 0 && time.hour < 24 && time.weekday >= 1 && time.weekday <= 7 && time.day >= 1 &&
                          time.day <= 31 && time.instant < most && time.instant > -most;
    if (!in_range) FAIL("hour " << time.hour << " day " << time.day << " instant " << time.instant);
  }
  CHECK(read > 1000);
  CHECK(refused > 1000);
}
