// SPDX-License-Identifier: Apache-2.0
#include "src/app/json.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using tesserec::app::Json;

TEST_CASE("JSON values as text") {
  CHECK(Json().text() == "null");
  CHECK(Json(true).text() == "true");
  CHECK(Json(-3).text() == "-3");
  CHECK(Json(std::numeric_limits<std::uint64_t>::max()).text() == "18446744073709551615");
  CHECK(Json(0.1).text() == "0.10000000000000001");
  CHECK(std::stod(Json(1.0 / 3.0).text()) == 1.0 / 3.0);
  CHECK(Json(std::nan("")).text() == "null");
  CHECK(Json(-std::numeric_limits<double>::infinity()).text() == "null");
  CHECK(Json("text").text() == "\"text\"");
  CHECK(Json(std::vector<int>{1, 2}).text() == "[1, 2]");
  CHECK(Json::object().text() == "{}");
  CHECK(Json::array().text() == "[]");
  CHECK(Json::object().set("a", 1).set("b", Json::array().add("x").add(Json())).text() ==
        R"({"a": 1, "b": ["x", null]})");
}

TEST_CASE("JSON strings are escaped") {
  CHECK(Json("a\"b\\c\n\t\x01\x7f").text() == R"("a\"b\\c\u000a\u0009\u0001\u007f")");
  CHECK(Json("\xc3\xa9").text() == "\"\xc3\xa9\"");
  CHECK(Json("\xff").text() == R"("\u00ff")");
  CHECK(Json("\xc3").text() == R"("\u00c3")");
  CHECK(Json(std::string("a\0b", 3)).text() == R"("a\u0000b")");
  CHECK(Json::object().set("k\"", 1).text() == R"({"k\"": 1})");
}
