// SPDX-License-Identifier: Apache-2.0
// Printable text of untrusted bytes. Bytes that are not UTF-8 and characters that a terminal obeys are shown as
// escapes.
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/utf8.hpp>

using namespace tesserec;

TEST_CASE("printable: keeps the first and the last character of each length") {
  for (const std::string text :
       {"", " ", "~", "\xC2\xA0", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "\xE2\x80\xA7", "\xE2\x80\xAF", "\xE2\x81\xA5", "\xE2\x81\xAA",
        "caf\xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80"}) {
    INFO(text);
    CHECK(printable(text) == text);
    CHECK(path_fault(text) == "");
    CHECK(is_utf8(text));
    CHECK(is_utf8("seven by" + text));  // across words of eight bytes
    CHECK(!is_utf8("seven by" + text + '\xF6'));
  }
  CHECK(printable("a\tb\nc") == "a\tb\nc");
  CHECK(path_fault("a\tb") == "its byte 1 is the control character \\x09");
  CHECK(path_fault("ab\n") == "its byte 2 is the control character \\x0A");
}

TEST_CASE("printable: escapes bytes that are not UTF-8 one by one and keeps the text after them") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\x80", "\\x80"},  // a continuation byte alone
      {"\xBF"
       "a",
       "\\xBFa"},
      {"\xC0\x80", "\\xC0\\x80"},  // overlong: NUL, '/', U+007F, U+07FF, U+FFFF
      {"\xC0\xAF", "\\xC0\\xAF"},
      {"\xC1\xBF", "\\xC1\\xBF"},
      {"\xE0\x80\xAF", "\\xE0\\x80\\xAF"},
      {"\xE0\x9F\xBF", "\\xE0\\x9F\\xBF"},
      {"\xF0\x80\x80\x80", "\\xF0\\x80\\x80\\x80"},
      {"\xF0\x8F\xBF\xBF", "\\xF0\\x8F\\xBF\\xBF"},
      {"\xED\xA0\x80", "\\xED\\xA0\\x80"},  // surrogates
      {"\xED\xBF\xBF", "\\xED\\xBF\\xBF"},
      {"\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"},  // above U+10FFFF
      {"\xF5\x80\x80\x80", "\\xF5\\x80\\x80\\x80"},
      {"\xFE\xFF", "\\xFE\\xFF"},
      {"\xC3", "\\xC3"},  // truncated
      {"\xE6\x97", "\\xE6\\x97"},
      {"\xF0\x9F\x98", "\\xF0\\x9F\\x98"},
      {"\xC3(", "\\xC3("},  // the next byte begins another character
      {"\xE6\x97\xC3\xA9", "\\xE6\\x97\xC3\xA9"},
      {"\xF0\x9F\x98z", "\\xF0\\x9F\\x98z"},
  };
  for (const auto& [text, shown] : cases) {
    INFO(shown);
    CHECK(printable(text) == shown);
    CHECK(printable("ab" + text) == "ab" + shown);
    CHECK(!is_utf8("seven by" + text));
    CHECK(path_fault("ab" + text).starts_with("its byte 2 (" + shown.substr(0, 4) + ") is not UTF-8"));
  }
}

TEST_CASE("printable: escapes characters that a terminal obeys by their code") {
  const std::vector<std::pair<std::string, std::string>> cases = {{std::string("\0", 1), "\\x00"},
                                                                  {"\x1B[2J", "\\x1B[2J"},
                                                                  {"\r", "\\x0D"},
                                                                  {"\x1F", "\\x1F"},
                                                                  {"\x7F", "\\x7F"},
                                                                  {"\xC2\x80", "\\x80"},
                                                                  {"\xC2\x9F", "\\x9F"},
                                                                  {"\xE2\x80\xA8", "\\u2028"},
                                                                  {"\xE2\x80\xA9", "\\u2029"},
                                                                  {"\xE2\x80\xAA", "\\u202A"},
                                                                  {"\xE2\x80\xAE", "\\u202E"},
                                                                  {"\xE2\x81\xA6", "\\u2066"},
                                                                  {"\xE2\x81\xA9", "\\u2069"},
                                                                  {"\xD8\x9C", "\\u061C"},
                                                                  {"\xE2\x80\x8E", "\\u200E"},
                                                                  {"\xE2\x80\x8F", "\\u200F"}};
  for (const auto& [text, shown] : cases) {
    INFO(shown);
    CHECK(printable(text) == shown);
    CHECK(printable(shown) == shown);
    const bool control = shown[1] == 'x';
    CHECK(mentions(path_fault("a" + text), control ? "its byte 1 is the control character " + shown.substr(0, 4)
                                                   : "its byte 1 begins the invisible character " + shown));
  }
}

TEST_CASE("name_fault: accepts a path without a slash that is not empty nor a folder nor too long") {
  CHECK(name_fault("C1") == "");
  CHECK(name_fault(std::string(200, 'x')) == "");
  CHECK(name_fault("...") == "");
  CHECK(name_fault("") == "it is empty");
  CHECK(name_fault(".") == "it names a folder");
  CHECK(name_fault("..") == "it names a folder");
  CHECK(name_fault("a/b") == "it contains '/'");
  CHECK(name_fault(std::string(201, 'x')) == "it has 201 bytes, more than 200");
  CHECK(name_fault("a\xFF") == "its byte 1 (\\xFF) is not UTF-8");
}
