// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

#include "catch.hpp"
#include <tesserec/core/text.hpp>

using namespace tesserec;

TEST_CASE("concat and join and counted: make text of values and lists and counts with their noun") {
  CHECK(concat("row ", 3, " of ", std::string("a"), ' ', 0.5) == "row 3 of a 0.5");
  CHECK(join(std::set<int>{}) == "");
  CHECK(join(std::vector<std::string>{"a"}) == "a");
  CHECK(join(std::set<int>{3, 1, 2}) == "1, 2, 3");
  CHECK(join(std::vector<std::string>{"", "b", ""}, "-") == "-b-");
  CHECK(join(std::vector<int>{1, 2}, " x ", [](int x) { return concat('<', x, '>'); }) == "<1> x <2>");
  CHECK(counted(0, "rank") == "0 ranks");
  CHECK(counted(1, "rank") == "1 rank");
  CHECK(counted(12, "rank") == "12 ranks");
}

TEST_CASE("fixed and significant and scientific: write the digits of printf") {
  const auto printed = [](const char* format, int digits, double value) {
    char text[400];
    std::snprintf(text, sizeof text, format, digits, value);
    return std::string(text);
  };
  for (const double value : {0.0, -0.0, 0.5, 2.5, 1.0 / 3, 123456.789, 1e-7, 1e22, 5e-324, 0.05, 1.005, 99.95,
                             double{INFINITY}, std::numeric_limits<double>::max(), -std::numeric_limits<double>::max()})
    for (const int digits : {0, 1, 2, 3, 6, 17}) {
      INFO(value << ", " << digits << " digits");
      CHECK(fixed(value, digits) == printed("%.*f", digits, value));
      CHECK(significant(value, digits) == printed("%.*g", digits, value));
      CHECK(scientific(value, digits) == printed("%.*e", digits, value));
    }
  CHECK(fixed(std::nan(""), 2) == "nan");
}

TEST_CASE("shortest: writes the fewest digits that read back with a point in whole numbers") {
  CHECK(shortest(0.1) == "0.1");
  CHECK(shortest(0.1f) == "0.1");
  CHECK(shortest(static_cast<double>(0.1f)) == "0.10000000149011612");
  CHECK(shortest(-3.0) == "-3.0");
  CHECK(shortest(1e30) == "1e+30");
  CHECK(shortest(-INFINITY) == "-inf");
}

TEST_CASE("hex and bytes_text and left and right: write hexadecimal digits and byte counts and columns") {
  CHECK(hex(0) == "0000000000000000");
  CHECK(hex(0xfedcba9876543210) == "fedcba9876543210");
  CHECK(hex(0x2f, 8) == "0000002f");
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1023 * 1024) == "1023 KiB");
  CHECK(bytes_text(150 * 1024) == "150.0 KiB");
  CHECK(seconds_text(0.0195) == "19.5 ms");
  CHECK(seconds_text(1234.56) == "1235 s");
  CHECK(seconds_text(0.00012345) == "123.5 us");
  CHECK(seconds_text(4e-9) == "4 ns");
  CHECK(bytes_text(1024) == "1.00 KiB");
  CHECK(bytes_text(1536) == "1.50 KiB");
  CHECK(bytes_text(3.0 * (1 << 30)) == "3.00 GiB");
  CHECK(bytes_text(0x1p52) == "4096 TiB");
  CHECK(left("ab", 4) == "ab  ");
  CHECK(left("abcde", 4) == "abcde");
  CHECK(right("ab", 4) == "  ab");
  CHECK(right("7", 3, '0') == "007");
  CHECK(right("1234", 3, '0') == "1234");
}

TEST_CASE("parse_number: parses the whole text or nothing") {
  CHECK(parse_number<int>("-12") == -12);
  CHECK(parse_number<double>("1e3") == 1000.0);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "x"}) CHECK(!parse_number<int>(text));
  CHECK(!parse_number<int>("3000000000"));
  CHECK(!parse_number<double>("1e999"));
}
