// SPDX-License-Identifier: Apache-2.0
// Times from texts.
#include <string>

#include "catch.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/raw/times.hpp>

using namespace tesserec;
using namespace tesserec::raw;

namespace {

constexpr Index none = -1'000'000'000'000'000'000;

/// Returns the microseconds since 1970 of a text, or `none`.
Index instant_of(const std::string& text, TimeForm form) {
  ParsedTime time;
  return parse_time(text, form, time) ? time.instant : none;
}

}  // namespace

TEST_CASE("parse_time: each microsecond of a text is that of the instant") {
  for (Index i = 0; i < 100000; ++i) {
    const Index instant = 1'500'000'909'000'000 + i * 9'973;
    const std::string seconds = std::to_string(instant / 1'000'000),
                      fraction = std::to_string(1'000'000 + instant % 1'000'000).substr(1);
    const std::string milliseconds = std::to_string(instant / 1000);
    bool same = instant_of(seconds + "." + fraction, TimeForm::epoch) == instant;
    same = same && instant_of(milliseconds + "." + fraction.substr(3), TimeForm::epoch_ms) == instant;
    same = same && instant_of(milliseconds, TimeForm::epoch_ms) == instant / 1000 * 1000;
    same = same && instant_of("1970-01-01T00:00:07." + fraction, TimeForm::iso) == 7'000'000 + instant % 1'000'000;
    if (!same) FAIL(seconds + "." + fraction);
  }
}

TEST_CASE("parse_time: rounds what is below a microsecond, and reads numbers of any form") {
  using enum TimeForm;
  CHECK(instant_of("1.9999995", epoch) == 2'000'000);
  CHECK(instant_of("1.9999994", epoch) == 1'999'999);
  CHECK(instant_of("0.0015", epoch_ms) == 2);
  CHECK(instant_of("-1.75", epoch) == -1'750'000);
  CHECK(instant_of("-0.000001", epoch) == -1);
  CHECK(instant_of("1.5e9", epoch) == 1'500'000'000'000'000);
  CHECK(instant_of("1.500000000001e12", epoch_ms) == 1'500'000'000'001'000);
  CHECK(instant_of(".5", epoch) == 500'000);
  CHECK(instant_of("5.", epoch) == 5'000'000);
  CHECK(instant_of("253402300799.5", epoch) == 253'402'300'799'500'000);
  CHECK(instant_of("253402300800", epoch) == none);
  CHECK(instant_of("99999999999999999999", epoch) == none);
  for (const std::string text : {"", "-", ".", "1.5x", "1,5", "0x10", "+5", "nan", "inf"})
    CHECK(instant_of(text, epoch) == none);
  ParsedTime before;
  REQUIRE(parse_time("-0.5", epoch, before));
  CHECK(before.hour == 23);
  CHECK(before.date == -1);
}

TEST_CASE("parse_time: a fraction stands behind seconds alone, and numbers of dates have no signs") {
  using enum TimeForm;
  const Index hour = 1'413'882'000'000'000;
  CHECK(instant_of("2014-10-21T09", iso) == hour);
  CHECK(instant_of("2014-10-21 09:08:07.5Z", iso) == hour + 487'500'000);
  CHECK(instant_of("2014-10-21T09:08:07.0000005+00:00", iso) == hour + 487'000'001);
  CHECK(instant_of("2014-10-21T09:08:07.25-01:30", iso) == hour + 487'250'000 + 5'400'000'000);
  for (const std::string text :
       {"2014-10-21.5", "2014-10-21T09.5", "2014-10-21T09:08.5", "2014-10-21T09:08:07.", "2014-10-21T09:08:07.x",
        "2014-10-21T-0", "2014-10-21T09:-1", "2014-10--1", "-014-10-21", "2014-10-21T09:08:07+-1", "2014-10-21T09:"})
    CHECK(instant_of(text, iso) == none);
  CHECK(instant_of("14102109", yymmddhh) == hour);
  CHECK(instant_of("141021-9", yymmddhh) == none);
  CHECK(instant_of("141021-0", yymmddhh) == none);
}
