// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/json.hpp>

using tesserec::Json;
using tesserec::parse_json;

TEST_CASE("Json: writes values as text") {
  CHECK(Json().text() == "null");
  CHECK(Json(true).text() == "true");
  CHECK(Json(-3).text() == "-3");
  CHECK(Json(std::numeric_limits<std::int64_t>::min()).text() == "-9223372036854775808");
  CHECK(Json(0.1).text() == "0.10000000000000001");
  CHECK(Json(1e300).text() == "1.0000000000000001e+300");
  CHECK(Json(std::nan("")).text() == "null");
  CHECK(Json(-std::numeric_limits<double>::infinity()).text() == "null");
  CHECK(Json("text").text() == "\"text\"");
  CHECK(Json(std::vector<int>{1, 2}).text() == "[1, 2]");
  CHECK(Json::object().text() == "{}");
  CHECK(Json::array(Json::Layout::lines).text() == "[]");
  CHECK(Json::object().set("a", 1).set("b", Json::array().add("x").add(Json())).text() ==
        R"({"a": 1, "b": ["x", null]})");
}

TEST_CASE("Json: writes one line for each element if its layout is lines") {
  Json list = Json::array(Json::Layout::lines);
  list.add(Json::object().set("a", 1)).add(Json::object().set("b", Json::array(Json::Layout::lines).add(2)));
  CHECK(Json::object(Json::Layout::lines).set("list", list).set("last", 3).text() ==
        "{\n  \"list\": [\n    {\"a\": 1},\n    {\"b\": [\n      2]}],\n  \"last\": 3\n}");
}

TEST_CASE("Json: escapes strings and reads them back and replaces bytes that are not UTF-8") {
  CHECK(Json("a\"b\\c\n\t\x01").text() == R"("a\"b\\c\n\t\u0001")");
  CHECK(Json("\xc3\xa9").text() == "\"\xc3\xa9\"");
  CHECK(Json(std::string("a\0b", 3)).text() == R"("a\u0000b")");
  CHECK(Json("\xff").text() == "\"\xef\xbf\xbd\"");
  CHECK(Json("\xc3").text() == "\"\xef\xbf\xbd\"");
  CHECK(Json::object().set("k\"", 1).text() == R"({"k\"": 1})");
  for (const std::string text : {"", "a\"b\\c\n\r\t\b\f\x01\x7f/", "\xc3\xa9\xf0\x9f\x99\x82"})
    CHECK(parse_json(Json(text).text()).string() == text);
  CHECK(parse_json(R"("\u00e9\ud83d\ude42\/")").string() == "\xc3\xa9\xf0\x9f\x99\x82/");
}

TEST_CASE("parse_json: reads numbers back to the same bits") {
  for (const double value : {0.1, 1.0 / 3.0, 5e-324, -1.7976931348623157e308, 3.0})
    CHECK(parse_json(Json(value).text()).number() == value);
  CHECK(parse_json("-9223372036854775808").integer() == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_json("9223372036854775807").integer() == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_json("18446744073709551615").number() == 18446744073709551616.0);
  CHECK(error_of([] { parse_json("9223372036854775808").integer(); }).ends_with(" is not an integer"));
  CHECK(error_of([] { parse_json("1.0").integer(); }) == "1.0 is not an integer");
}

TEST_CASE("Json: finds members by name in their order and throws on a value of another kind") {
  const Json json = parse_json(R"( {"b": [true, null], "a": {"x": 1}} )");
  CHECK(json.names() == std::vector<std::string>{"b", "a"});
  CHECK(json.at("b").elements()[0].boolean());
  CHECK(json.at("a").at("x").number() == 1.0);
  CHECK(json.has("a"));
  CHECK(!json.has("x"));
  CHECK(!json.at("b").has("a"));
  CHECK(error_of([&] { json.at("c"); }) == "\"c\" is missing");
  CHECK(error_of([&] { json.at("b").names(); }) == "[true, null] is not an object");
  CHECK(error_of([&] { json.at("a").elements(); }) == R"({"x": 1} is not a list)");
  CHECK(error_of([&] { json.at("a").string(); }) == R"({"x": 1} is not a string)");
  CHECK(error_of([&] { json.at("a").number(); }) == R"({"x": 1} is not a number)");
  CHECK(error_of([&] { json.at("a").boolean(); }) == R"({"x": 1} is not true or false)");
  CHECK(json.text() == R"({"b": [true, null], "a": {"x": 1}})");
}

TEST_CASE("Json: escapes characters that a terminal obeys or does not show") {
  const std::string odd = "a\x7f\xC2\x85\xE2\x80\xAE\n\xC3\xA9";
  CHECK(Json(odd).text() == "\"a\\u007f\\u0085\\u202e\\n\xC3\xA9\"");
  CHECK(parse_json(Json(odd).text()).string() == odd);
}

// A time that grows with the square of the members or elements makes this case take minutes.
TEST_CASE("parse_json: reads an object of many members and a list of many objects") {
  constexpr int members = 200'000, elements = 500'000;
  std::string object = "{", list = "[";
  for (int i = 0; i < members; ++i) object += "\"" + std::to_string(i) + "\": " + std::to_string(i) + ",";
  for (int i = 0; i < elements; ++i) list += "{},";
  object.back() = '}';
  list.back() = ']';
  const Json read = parse_json(object);
  CHECK(read.names().size() == members);
  CHECK(read.at("199999").integer() == 199999);
  object.back() = ',';
  CHECK(error_of([&] { parse_json(object + "\n\"7\": 0}"); }) == "line 2: \"7\" occurs twice in one object");
  CHECK(parse_json(list).elements().size() == elements);
}

TEST_CASE("parse_json: throws with the line of the fault") {
  const auto refused = [](const std::string& text) { return error_of([&] { parse_json(text); }); };
  CHECK(refused("{\n  \"a\": 1\n  \"b\": 2\n}").rfind("parse error at line 3, column ", 0) == 0);
  CHECK(refused("{\n\"a\": 1,\n\"b\": {\"a\": 2},\n\"a\": 3}") == "line 4: \"a\" occurs twice in one object");
  CHECK(refused("{\"a\": 1, \"\\u0061\": 3}") == "line 1: \"a\" occurs twice in one object");
  CHECK(refused("[{\"a\": {\"a\": [{\"a\": 1}]}}, {\"a\": 1}]") == "");
  CHECK(refused(std::string(16, '[') + std::string(16, ']')) == "");
  CHECK(refused(std::string(100000, '[')) == "line 1: values are nested more than 16 levels deep");
  for (const char* text : {"", "{", "[1, 2", "[1,]", "{\"a\" 1}", "{} {}", "nul", "-inf", "-nan", "01", "1.", "+1",
                           "\"\\x\"", "\"\xff\"", "\"a\nb\"", "'a'"}) {
    INFO(text);
    CHECK(refused(text).rfind("parse error at line ", 0) == 0);
  }
  CHECK(!refused("1e999").empty());
}
