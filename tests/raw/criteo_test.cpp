// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <functional>

#include "catch.hpp"
#include "errors.hpp"
#include "parsed.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/raw/row_format.hpp>
#include <tesserec/raw/settings.hpp>

using namespace tesserec;
using namespace tesserec::raw;

namespace {

std::string join(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i > 0 ? "\t" : "") + fields[i];
  return line;
}

std::vector<std::string> good_fields() {
  std::vector<std::string> fields = {"1"};
  for (int k = 0; k < 13; ++k) fields.push_back(std::to_string(k - 2));
  for (int f = 0; f < 26; ++f) fields.push_back("68FD1E" + std::to_string(10 + f));
  return fields;
}

std::string reason_for(const std::function<void(std::vector<std::string>&)>& change,
                       ShortRows short_rows = ShortRows::stop) {
  RowSettings settings;
  settings.short_rows = short_rows;
  std::vector<std::string> fields = good_fields();
  change(fields);
  Row row;
  return parsed(*make_row_format(settings), join(fields), row);
}

}  // namespace

TEST_CASE("make_row_format: parses a Criteo row into label and numbers and lower-case tokens") {
  const auto format = make_row_format(RowSettings());
  REQUIRE(format->layout().dense_features.size() == 13);
  REQUIRE(format->layout().dense_features[12] == "I13");
  REQUIRE(format->layout().features.size() == 26);
  REQUIRE(format->layout().features[25] == "C26");
  auto fields = good_fields();
  fields[2] = "";
  fields[3] = "-9223372036854775808";
  fields[15] = "";
  fields[16] = "1f";
  Row row;
  REQUIRE(parsed(*format, join(fields), row) == "");
  REQUIRE(row.label == 1);
  REQUIRE(row.numbers[0] == -2.0);
  REQUIRE(std::isnan(row.numbers[1]));
  REQUIRE(row.numbers[2] == -9223372036854775808.0);
  REQUIRE(row.tokens[0] == std::string_view("68fd1e10"));
  REQUIRE(!row.tokens[1].has_value());
  REQUIRE(row.tokens[2] == std::string_view("0000001f"));
  fields[0] = "0";
  REQUIRE(parsed(*format, join(fields), row) == "");
  REQUIRE(row.label == 0);
}

TEST_CASE("make_row_format: Criteo's categories are hexadecimal digits alone, and numbers have any length") {
  const auto format = make_row_format(RowSettings());
  Row row;
  for (std::size_t place = 0; place < 8; ++place)
    for (int c = 1; c < 256; ++c) {
      if (c == '\t') continue;
      auto fields = good_fields();
      fields[20] = "0a9f5b7c";
      fields[20][place] = char(c);
      const std::string line = join(fields);
      const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      CAPTURE(place, c);
      REQUIRE((parsed(*format, line, row) == "") == digit);
      if (!digit) continue;
      fields[20][place] = char(c <= 'F' && c >= 'A' ? c - 'A' + 'a' : c);
      REQUIRE(row.tokens[6] == std::string_view(fields[20]));
    }
  for (const Index number : {0, 7, -1, 999999999, -999999999, 1000000000, 2147483647}) {
    auto fields = good_fields();
    fields[1] = std::to_string(number);
    fields[2] = "000000000000" + std::to_string(std::abs(number));
    REQUIRE(parsed(*format, join(fields), row) == "");
    REQUIRE(row.numbers[0] == double(number));
    REQUIRE(row.numbers[1] == double(std::abs(number)));
  }
}

TEST_CASE("make_row_format: a Criteo row has nothing of the row before") {
  const auto format = make_row_format(RowSettings());
  Row row;
  row.ends = {5, 4, 3};
  row.cut = {1, 1, 1};
  row.tokens.resize(40);
  auto fields = good_fields();
  for (int twice = 0; twice < 2; ++twice) {
    const std::string line = join(fields);
    REQUIRE(parsed(*format, line, row) == "");
    REQUIRE(row.tokens.size() == 26);
    REQUIRE(row.tokens[25].has_value() == (twice == 0));
    REQUIRE(row.ends.size() == 26);
    for (std::size_t f = 0; f < 26; ++f) REQUIRE(row.ends[f] == f + 1);
    REQUIRE(row.cut == std::vector<Index>(26, 0));
    fields[39] = "";
  }
}

TEST_CASE("make_row_format: bad Criteo rows give the reason") {
  using Fields = std::vector<std::string>;
  REQUIRE(reason_for([](Fields&) {}) == "");
  for (const std::string label : {"2", "-1", "", "01", "1.0", "label", "1 "})
    REQUIRE(mentions(reason_for([&](Fields& f) { f[0] = label; }), "neither 0 nor 1"));
  for (const std::string number : {"x", "1.5", "0x1", "1e3", " 1", "1 ", "+1", "-", "--1", "12:4", "12/4", "-1-"})
    REQUIRE(mentions(reason_for([&](Fields& f) { f[13] = number; }), "I13: \"" + number + "\" is not an integer"));
  for (const std::string number : {"9223372036854775808", "-9223372036854775809", "99999999999999999999999"})
    REQUIRE(mentions(reason_for([&](Fields& f) { f[1] = number; }), "out of the range"));
  for (const std::string token : {"68fd1e6g", "68fd1e641", "68fd1e64 ", " 8fd1e64", "0x123456", "68fd-e64"})
    REQUIRE(mentions(reason_for([&](Fields& f) { f[39] = token; }), "C26"));
  REQUIRE(mentions(reason_for([](Fields& f) { f.push_back(""); }), "41 fields, 40 expected"));
  REQUIRE(mentions(reason_for([](Fields& f) { f.pop_back(); }), "39 fields, 40 expected"));
  REQUIRE(mentions(reason_for([](Fields& f) { f.pop_back(); }), "short_rows"));
  REQUIRE(mentions(reason_for([](Fields& f) { f = {"label", "I1"}; }), "2 fields"));
}

TEST_CASE("short_rows = pad: fills short rows with missing values and refuses long ones") {
  RowSettings settings;
  settings.short_rows = ShortRows::pad;
  auto fields = good_fields();
  fields.resize(12);
  Row row;
  REQUIRE(parsed(*make_row_format(settings), join(fields), row) == "");
  REQUIRE(row.numbers[10] == 8.0);
  REQUIRE(std::isnan(row.numbers[11]));
  for (const auto& token : row.tokens) REQUIRE(!token.has_value());
  REQUIRE(mentions(reason_for([](std::vector<std::string>& f) { f.push_back(""); }, ShortRows::pad), "41 fields"));
}

TEST_CASE("make_row_format: throws if format = criteo has keys of the table format") {
  RowSettings settings;
  settings.header = true;
  REQUIRE_THROWS_AS(make_row_format(settings), Error);
  settings = {};
  settings.delimiter = ";";
  REQUIRE_THROWS_AS(make_row_format(settings), Error);
  settings = {};
  settings.columns.resize(1);
  REQUIRE_THROWS_AS(make_row_format(settings), Error);
}

TEST_CASE("make_row_format: takes rows of Criteo's test files without the label only for scoring") {
  const auto format = make_row_format(RowSettings());
  std::string line;
  for (int k = 0; k < 13; ++k) line += std::to_string(k) + "\t";
  for (int f = 0; f < 26; ++f) line += f == 25 ? "1f" : "2a\t";
  Row row;
  const std::string lacks = "39 fields, 40 expected: the row seems to lack its label";
  REQUIRE(mentions(parsed(*format, line, row), lacks));
  REQUIRE_FALSE(mentions(parsed(*format, "20" + line.substr(1), row), "short_rows"));
  REQUIRE(row.label_missing);
  REQUIRE(mentions(parsed(*format, "\t" + line, row), "the label is missing"));
  FileColumns columns;
  for (const std::string& labeled : {line, "\t" + line, "1\t" + line}) {
    const std::vector<std::string> head = {"x", labeled};  // a bad first row does not decide
    REQUIRE(format->find_columns(head, Targets::unread, columns) == "");
    REQUIRE(format->parse(labeled, columns, row) == "");
    REQUIRE(row.numbers[12] == 12.0);
    REQUIRE(row.tokens[25] == std::string_view("0000001f"));
  }
  RowSettings padded;
  padded.short_rows = ShortRows::pad;
  REQUIRE(mentions(parsed(*make_row_format(padded), "20" + line.substr(1), row), lacks));
}

TEST_CASE("make_row_format: typed columns of Criteo's form have its names and types, and need no label to score") {
  const auto format = make_row_format(RowSettings());
  std::vector<FoundColumn> found;
  for (const auto& column : format->layout().columns) {
    const bool category = column.kind == ColumnKind::category;
    found.push_back({column.name, category ? "string" : "int64", category, !category});
  }
  const auto find = [&](const std::vector<FoundColumn>& file, Targets targets) {
    FileColumns columns;
    TypedColumns read;
    return format->find_columns(file, targets, columns, read);
  };
  std::vector<std::string> fields = good_fields();
  std::vector<FoundColumn> unlabelled = found;
  unlabelled.erase(unlabelled.begin());
  REQUIRE(mentions(find(unlabelled, Targets::required), "without a column \"label\"; rows to score belong in"));
  for (const bool labelled : {true, false}) {
    if (!labelled) fields.erase(fields.begin());
    for (const Targets targets : {Targets::required, Targets::unread}) {
      if (!labelled && targets == Targets::required) continue;
      FileColumns columns;
      TypedColumns read;
      REQUIRE(format->find_columns(labelled ? found : unlabelled, targets, columns, read) == "");
      REQUIRE(columns.fields == fields.size());
      REQUIRE(read.columns.size() == fields.size());
      for (const TypedColumn& column : read.columns) REQUIRE(column.read);
      Row row;
      row.fields.texts.assign(fields.begin(), fields.end());
      REQUIRE(format->parse_fields(columns, row) == "");
      REQUIRE(row.has_label == labelled);
      REQUIRE(row.numbers[0] == -2.0);
      REQUIRE(row.numbers[12] == 10.0);
      REQUIRE(row.tokens[25] == std::string_view("68fd1e35"));
    }
  }
  for (const Targets targets : {Targets::required, Targets::unread}) {
    std::vector<FoundColumn> other = found;
    std::swap(other[16], other[17]);
    REQUIRE(mentions(find(other, targets), "whose column 17 is \"C4\", not \"C3\""));
    other = found;
    other.pop_back();
    REQUIRE(mentions(find(other, targets), "without column 40, \"C26\""));
    other = found;
    other.push_back({"C27", "string", true, false});
    REQUIRE(mentions(find(other, targets), "with 41 columns"));
    other = found;
    other[14] = {"C1", "int64", false, true};
    REQUIRE(mentions(find(other, targets), "whose column C1 has type int64"));
    other = found;
    other[2] = {"I2", "timestamp[us]", false, false};
    REQUIRE(mentions(find(other, targets), "whose column I2 has type timestamp[us]"));
    other[2] = {"I2", "double", false, true};
    REQUIRE(find(other, targets) == "");
  }
}
