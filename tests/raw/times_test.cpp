// SPDX-License-Identifier: Apache-2.0
// Times from texts.
#include <cstdlib>
#include <map>
#include <string>

#include "catch.hpp"
#include <tesserec/raw/times.hpp>

using namespace tesserec;
using namespace tesserec::raw;

namespace {

constexpr Index none = -1'000'000'000'000'000'000;

/// Returns the microseconds since 1970 of a text, or `none`.
Index instant_of(const std::string& text, const std::string& form) {
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
    bool same = instant_of(seconds + "." + fraction, "epoch") == instant;
    same = same && instant_of(milliseconds + "." + fraction.substr(3), "epoch_ms") == instant;
    same = same && instant_of(milliseconds, "epoch_ms") == instant / 1000 * 1000;
    same = same && instant_of("1970-01-01T00:00:07." + fraction, "iso") == 7'000'000 + instant % 1'000'000;
    if (!same) FAIL(seconds + "." + fraction);
  }
}

TEST_CASE("parse_time: rounds what is below a microsecond, and reads numbers of any form") {
  CHECK(instant_of("1.9999995", "epoch") == 2'000'000);
  CHECK(instant_of("1.9999994", "epoch") == 1'999'999);
  CHECK(instant_of("0.0015", "epoch_ms") == 2);
  CHECK(instant_of("-1.75", "epoch") == -1'750'000);
  CHECK(instant_of("-0.000001", "epoch") == -1);
  CHECK(instant_of("1.5e9", "epoch") == 1'500'000'000'000'000);
  CHECK(instant_of("1.500000000001e12", "epoch_ms") == 1'500'000'000'001'000);
  CHECK(instant_of(".5", "epoch") == 500'000);
  CHECK(instant_of("5.", "epoch") == 5'000'000);
  CHECK(instant_of("253402300799.5", "epoch") == 253'402'300'799'500'000);
  CHECK(instant_of("253402300800", "epoch") == none);
  CHECK(instant_of("99999999999999999999", "epoch") == none);
  for (const std::string text : {"", "-", ".", "1.5x", "1,5", "0x10", "+5", "nan", "inf"})
    CHECK(instant_of(text, "epoch") == none);
  ParsedTime before;
  REQUIRE(parse_time("-0.5", "epoch", before));
  CHECK(before.hour == 23);
  CHECK(before.date == -1);
}

TEST_CASE("parse_time: nanoseconds are rounded from all of their digits") {
  CHECK(instant_of("1413882487500000499", "epoch_ns") == 1'413'882'487'500'000);
  CHECK(instant_of("1413882487500000500", "epoch_ns") == 1'413'882'487'500'001);
  CHECK(instant_of("-1413882487500000500", "epoch_ns") == -1'413'882'487'500'001);
  CHECK(instant_of("-1", "epoch_ns") == 0);
  CHECK(instant_of("1.5e18", "epoch_ns") == 1'500'000'000'000'000);
  CHECK(instant_of("9223372036854775806", "epoch_ns") == 9'223'372'036'854'776);
  for (const std::string text : {"9223372036854775807", "9223372036854775807.5", "9223372036854775808"})
    CHECK(std::abs(instant_of(text, "epoch_ns") - 9'223'372'036'854'776) <= 1);
  CHECK(instant_of("1413882487500000.5", "epoch_us") == 1'413'882'487'500'001);
}

TEST_CASE("parse_time: reads patterns, of which each conversion has its place") {
  const Index hour = 1'413'882'000'000'000, minute = 60'000'000;
  const std::map<std::string, std::string> same = {{"%m/%d/%Y %H:%M", "10/21/2014 09:08"},
                                                   {"%m/%d/%y %I:%M %p", "10/21/14 9:08 AM"},
                                                   {"%d.%m.%Y, %H:%M", "21.10.2014, 9:08"},
                                                   {"%d-%b-%Y %H:%M:%S.%f", "21-oct-2014 09:08:00.0"},
                                                   {"%b %d %Y %I:%M %p", "October 21 2014 09:08 am"},
                                                   {"[%d/%b/%Y:%H:%M:%S %z]", "[21/Oct/2014:11:08:00 +0200]"},
                                                   {"%Y%m%d%H%M%S", "20141021090800"},
                                                   {"%Y-%m-%dT%H:%M%z", "2014-10-21T07:38-01:30"},
                                                   {"%%%Y %d %b%%%H h %M", "%2014 21 OCT%9 h 8"}};
  for (const auto& [pattern, text] : same) {
    INFO(pattern);
    CHECK(time_fault(pattern).empty());
    CHECK(instant_of(text, pattern) == hour + 8 * minute);
    CHECK(instant_of(time_example(pattern), pattern) != none);
    CHECK(instant_of(text + " ", pattern) == none);
    CHECK(instant_of(text.substr(0, text.size() - 1) + "x", pattern) == none);
  }
  CHECK(instant_of("1/2/2014 12:05 AM", "%m/%d/%Y %I:%M %p") == instant_of("2014-01-02T00:05", "iso"));
  CHECK(instant_of("1/2/2014 12:05 pm", "%m/%d/%Y %I:%M %p") == instant_of("2014-01-02T12:05", "iso"));
  CHECK(instant_of("2/1/2014", "%d/%m/%Y") == instant_of("2014-01-02", "iso"));
  CHECK(instant_of("1-1-69", "%d-%m-%y") == instant_of("1969-01-01", "iso"));
  CHECK(instant_of("1-1-68", "%d-%m-%y") == instant_of("2068-01-01", "iso"));
  CHECK(instant_of("2014-1-2 3:4:5.1234567", "%Y-%m-%d %H:%M:%S.%f") ==
        instant_of("2014-01-02T03:04:05.123457", "iso"));
  ParsedTime time;
  REQUIRE(parse_time("21.10.2014 23:30 -0200", "%d.%m.%Y %H:%M %z", time));
  CHECK(time.hour == 23);  // as written
  CHECK(time.day == 21);
  CHECK(time.weekday == 2);
  for (const std::string text :
       {"", "13/01/2014", "2/30/2014", "0/1/2014", "1/0/2014", "001/1/2014", "1/1/14", "1/1/2014 "})
    CHECK(instant_of(text, "%m/%d/%Y") == none);
  for (const std::string text : {"2014-10-21 24:00", "2014-10-21 1:60", "2014-10-21 -1:00", "2014-10-21 "})
    CHECK(instant_of(text, "%Y-%m-%d %H:%M") == none);
  for (const std::string text : {"2014 Okt 21", "2014 Octo 21", "2014  21", "2014 octoberr 21"})
    CHECK(instant_of(text, "%Y %b %d") == none);
  for (const std::string text : {"2014-10-21 0 AM", "2014-10-21 13 AM", "2014-10-21 1 M", "2014-10-21 1 "})
    CHECK(instant_of(text, "%Y-%m-%d %I %p") == none);
  for (const std::string text :
       {"2014-10-21 5", "2014-10-21 +0", "2014-10-21 +24", "2014-10-21 +00:60", "2014-10-21 +00:"})
    CHECK(instant_of(text, "%Y-%m-%d %z") == none);
  CHECK(instant_of("2014-10-21 5.", "%Y-%m-%d %S.%f") == none);
}

TEST_CASE("time_fault: says what a form lacks or has twice") {
  for (const std::string form : {"epoch", "epoch_ms", "epoch_us", "epoch_ns", "iso", "yymmddhh", "%d%b%y"})
    CHECK(time_fault(form).empty());
  const std::map<std::string, std::string> wrong = {{"", "is \"\"; give epoch"},
                                                    {"ISO", "is \"ISO\"; give epoch"},
                                                    {"%H:%M", "which lacks %Y or %y; give"},
                                                    {"%Y-%d", "which lacks %m or %b"},
                                                    {"%Y-%m", "which lacks %d"},
                                                    {"%Y-%m-%d %H:%Q", "which has \"%Q\""},
                                                    {"%Y-%m-%d %", "which has a % without a letter"},
                                                    {"%Y-%m-%d %d", "which has %d twice"},
                                                    {"%Y %y-%m-%d", "which has both %Y and %y"},
                                                    {"%Y-%m-%b-%d", "which has both %m and %b"},
                                                    {"%Y-%m-%d %H %I %p", "which has both %H and %I"},
                                                    {"%Y-%m-%d %I", "which has only one of %I and %p"},
                                                    {"%Y-%m-%d %f%H", "which has digits right behind %f"},
                                                    {"%Y-%m-%d\n", "which has a control character"}};
  for (const auto& [form, text] : wrong) {
    INFO(time_fault(form));
    CHECK(time_fault(form).find(text) != std::string::npos);
  }
}

TEST_CASE("parse_time: a fraction stands behind seconds alone, and numbers of dates have no signs") {
  const Index hour = 1'413'882'000'000'000;
  CHECK(instant_of("2014-10-21T09", "iso") == hour);
  CHECK(instant_of("2014-10-21 09:08:07.5Z", "iso") == hour + 487'500'000);
  CHECK(instant_of("2014-10-21T09:08:07.0000005+00:00", "iso") == hour + 487'000'001);
  CHECK(instant_of("2014-10-21T09:08:07.25-01:30", "iso") == hour + 487'250'000 + 5'400'000'000);
  for (const std::string text :
       {"2014-10-21.5", "2014-10-21T09.5", "2014-10-21T09:08.5", "2014-10-21T09:08:07.", "2014-10-21T09:08:07.x",
        "2014-10-21T-0", "2014-10-21T09:-1", "2014-10--1", "-014-10-21", "2014-10-21T09:08:07+-1", "2014-10-21T09:"})
    CHECK(instant_of(text, "iso") == none);
  CHECK(instant_of("14102109", "yymmddhh") == hour);
  CHECK(instant_of("141021-9", "yymmddhh") == none);
  CHECK(instant_of("141021-0", "yymmddhh") == none);
}
