// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include "parsed.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/header.hpp>
#include <tesserec/raw/row_format.hpp>
#include <tesserec/raw/settings.hpp>
#include <tesserec/raw/transforms.hpp>

using namespace tesserec;
using namespace tesserec::raw;

namespace {

RowSettings table() {
  RowSettings settings;
  settings.format = RawFormat::table;
  settings.columns = {{"age", ColumnKind::number, Transform::standardise, {}, {}},
                      {"id", ColumnKind::skip, Transform::none, {}, {}},
                      {"work", ColumnKind::category, Transform::none, {}, {}},
                      {"income", ColumnKind::label, Transform::none, {">50K", ">50K."}, {"<=50K", "<=50K."}}};
  return settings;
}

std::string reason(const std::string& line, const RowSettings& settings = table()) {
  Row row;
  return parsed(*make_row_format(settings), line, row);
}

template <class Change>
std::string refusal(const Change& change) {
  RowSettings settings = table();
  change(settings);
  return error_of([&] { make_row_format(settings); });
}

}  // namespace

TEST_CASE("make_row_format: parses a table row by the columns") {
  const auto format = make_row_format(table());
  REQUIRE(format->layout().dense_features == std::vector<std::string>{"age"});
  REQUIRE(format->layout().features == std::vector<std::string>{"work"});
  Row row;
  REQUIRE(parsed(*format, "39, x, State-gov, <=50K", row) == "");
  REQUIRE(row.label == 0);
  REQUIRE(row.numbers == std::vector<double>{39.0});
  REQUIRE(row.tokens[0] == std::string_view("State-gov"));
  REQUIRE(parsed(*format, "-1.5e2,,?, >50K. ", row) == "");
  REQUIRE(row.label == 1);
  REQUIRE(row.numbers == std::vector<double>{-150.0});
  REQUIRE(!row.tokens[0].has_value());
  for (const std::string missing : {"", "?", "NA", "NULL", "NaN", "nan", "None", "\\N"}) {
    REQUIRE(parsed(*format, missing + ",," + missing + ",>50K", row) == "");
    REQUIRE(std::isnan(row.numbers[0]));
    REQUIRE(!row.tokens[0].has_value());
  }
}

TEST_CASE("make_row_format: bad table rows give the reason") {
  REQUIRE(mentions(reason("39, x, Private, 50K"), "income: \"50K\" is neither"));
  REQUIRE(mentions(reason("39, x, Private, "), "neither"));
  REQUIRE(mentions(reason("|1x3 Cross validator"), "1 field, 4 expected"));
  REQUIRE(mentions(reason("39; x; Private; <=50K"), "1 field, 4 expected"));
  REQUIRE(mentions(reason("39; x; Private; <=50K"), "the line has \";\" 3 times, but preprocess.delimiter is \",\""));
  REQUIRE(mentions(reason("39, x, Private, <=50K,"), "5 fields"));
  REQUIRE(mentions(reason("39y, x, Private, <=50K"), "age: \"39y\" is not a number"));
  REQUIRE(mentions(reason("-1e400, x, Private, <=50K"), "age: \"-1e400\" is out of the range of 32-bit floats"));
  for (const char* const small : {"1e-400", "-1e-310", "1e-46"})
    REQUIRE(reason(concat(small, ", x, Private, <=50K")) == "");
  for (const std::string text : {"NAN", "inf", "-Infinity", "nan(1)"})
    REQUIRE(mentions(reason(text + ", x, Private, <=50K"), "age: \"" + text + "\" is not a finite number"));
  for (const std::string text : {"0x10", "1_000", "+5", "1;5", "1e", "N/A"})
    REQUIRE(mentions(reason(text + ", x, Private, <=50K"), "age: \"" + text + "\" is not a number"));
  const std::string controls = reason("39\x1b[2J\x07, x, Private, <=50K");
  REQUIRE(mentions(controls, "\"39\\x1B[2J\\x07\""));
  REQUIRE(std::none_of(controls.begin(), controls.end(), [](char c) { return c >= 0 && c < ' '; }));
  REQUIRE(mentions(reason("\xE2\x80\x94, x, Private, <=50K"), "age: \"\xE2\x80\x94\" is not a number"));
  REQUIRE(mentions(reason("39, x, Private, \xE6\x98\xAF"), "income: \"\xE6\x98\xAF\" is neither"));
  REQUIRE(mentions(reason("3\xE9, x, Private, <=50K"), "age: \"3\\xE9\" is not"));
  REQUIRE(
      mentions(reason(std::string(30, '\t') + "3\t9" + std::string(30, 'x') + ", x, Private, <=50K"), "3\\t9xxxxx"));
  REQUIRE(mentions(reason("1e39, x, Private, <=50K"), "range"));
  REQUIRE(mentions(reason("1e999, x, Private, <=50K"), "range"));
}

TEST_CASE("make_row_format: a weight column weighs the samples") {
  RowSettings settings = table();
  settings.columns[1].kind = ColumnKind::weight;
  Row row;
  REQUIRE(make_row_format(settings)->layout().weighted);
  REQUIRE_FALSE(make_row_format(table())->layout().weighted);
  REQUIRE(parsed(*make_row_format(settings), "39, 0.25, Private, <=50K", row) == "");
  REQUIRE(row.weight == 0.25f);
  for (const std::string weight : {"", "?", "-1", "nan", "2e6", "1x"})
    REQUIRE(mentions(reason("39, " + weight + ", Private, <=50K", settings),
                     "id: \"" + weight + "\" is not a valid weight"));
  settings.columns[0].kind = ColumnKind::weight;
  settings.columns[0].transform = Transform::none;
  REQUIRE(mentions(error_of([&] { make_row_format(settings); }), "at most one column"));
}

TEST_CASE("make_row_format: obeys delimiter and trim and missing") {
  RowSettings settings = table();
  settings.delimiter = "\\t";
  REQUIRE(reason("39\tx\ta,b\t<=50K", settings) == "");
  settings.delimiter = "\t";
  REQUIRE(reason("39\tx\ta b\t<=50K", settings) == "");
  settings.trim = false;
  REQUIRE(mentions(reason("39\tx\ta b\t <=50K", settings), "neither"));
  settings.missing = {"NA"};
  REQUIRE(mentions(reason("\tx\ta\t<=50K", settings), "not a number"));
  Row row;
  REQUIRE(parsed(*make_row_format(settings), "NA\tx\t\t<=50K", row) == "");
  REQUIRE(std::isnan(row.numbers[0]));
  REQUIRE(row.tokens[0] == std::string_view(""));  // a text of its own, not a missing value
}

TEST_CASE("find_columns: a header names the columns in any order") {
  RowSettings settings = table();
  settings.header = true;
  auto format = make_row_format(settings);
  REQUIRE(header_fault(*format, "age,whatever, work ,income") == "");  // a column to skip may have any name
  REQUIRE(header_fault(*format, "work,age,income") == "");             // or be absent
  REQUIRE(mentions(header_fault(*format, "work,x,age,income"), "no preprocess.column is called \"x\""));
  REQUIRE(mentions(header_fault(*format, "work,x,age,income"), "preprocess.skip_other_columns"));
  REQUIRE(mentions(header_fault(*format, "work,income"),
                   "has 2 fields that do not fit preprocess.column: it lacks \"age\"; add what lacks to the file, or "
                   "remove its preprocess.column"));
  REQUIRE(mentions(header_fault(*format, "work,age,work,income,id"), "more than one \"work\""));
  REQUIRE(mentions(header_fault(*format, "age,work,work,income"), "more than one \"work\""));  // one in a skipped place
  REQUIRE(
      mentions(header_fault(*format, "work,age"), "the label is missing: rows to score belong in preprocess.predict"));
  REQUIRE(mentions(header_fault(*format, "age;id;work;income"), "the line has \";\" 3 times"));
  REQUIRE(header_fault(*format, "work,age", Targets::unread) == "");
  REQUIRE(mentions(header_fault(*format, "work,income", Targets::unread), "it lacks \"age\""));

  settings.skip_other_columns = true;
  format = make_row_format(settings);
  const std::string header = "income,x,work,y,age";
  FileColumns columns;
  REQUIRE(format->find_columns({&header, 1}, Targets::required, columns) == "");
  Row row;
  REQUIRE(format->parse(">50K,1,Private,2,39", columns, row) == "");
  REQUIRE(row.label == 1);
  REQUIRE(row.numbers == std::vector<double>{39.0});
  REQUIRE(row.tokens[0] == std::string_view("Private"));
  settings.header = false;
  REQUIRE(mentions(error_of([&] { make_row_format(settings); }), "preprocess.skip_other_columns requires a header"));
}

TEST_CASE("expanded: a star stands for many columns in ascending order with digits by their number") {
  const std::vector<Column> columns = {
      {"C*", ColumnKind::category}, {"C7", ColumnKind::skip}, {"*", ColumnKind::number}};
  const auto names = [](const std::vector<Column>& all) {
    return join(all, " ", [](const Column& c) { return c.name + (c.kind == ColumnKind::category ? "c" : ""); });
  };
  REQUIRE(names(expanded(columns, {"b", "C10", "C2", "C07x", "C7", "C2a", "C", "a"}, "f")) ==
          "Cc C2c C2ac C07xc C10c C7 a b");
  REQUIRE(names(expanded({{"*_x*y"}}, {"a_xy", "_x__y_y", "a_x", "xy"}, "f")) == "_x__y_y a_xy");
  REQUIRE(
      mentions(error_of([&] {
                 expanded(columns, {"C7", "Cx"}, "f:3");
               }),
               "f:3: no further column of the header matches preprocess.column \"*\"; the header has \"C7\", \"Cx\""));
}

TEST_CASE("find_columns: rows without a label are good only where no label is read") {
  REQUIRE(mentions(reason("39, x, Private, "), "the label is missing; rows to score belong in preprocess.predict"));
  REQUIRE(mentions(reason("39, x, Private"), "3 fields, 4 expected: the row seems to lack its label"));
  REQUIRE_FALSE(mentions(reason("39, x"), "label"));
  RowSettings settings = table();
  settings.columns.insert(settings.columns.begin() + 3, {"id", ColumnKind::key});
  settings.columns[1].kind = ColumnKind::weight;
  settings.columns[1].name = "w";
  const auto format = make_row_format(settings);
  FileColumns columns;
  Row row;
  for (const std::string line : {"39, x, Private, k 7", "39, , Private, k 7,", "39, , Private, k 7, huh"}) {
    REQUIRE(format->find_columns({&line, 1}, Targets::unread, columns) == "");
    REQUIRE(format->parse(line, columns, row) == "");
    REQUIRE(row.keys == std::vector<std::string_view>{"k 7"});
    REQUIRE(row.has_label == mentions(line, "huh"));
  }
  REQUIRE(mentions(format->parse("39, , Private, " + std::string(1001, 'k') + ",", columns, row), "1001 bytes"));
}

TEST_CASE("make_row_format: throws on column lists that cannot work") {
  REQUIRE(refusal([](auto&) {}) == "");
  REQUIRE(mentions(refusal([](auto& s) { s.columns.clear(); }), "needs one"));
  REQUIRE(mentions(refusal([](auto& s) { s.columns[3].positive.clear(); }), "positive is missing"));
  REQUIRE(mentions(refusal([](auto& s) { s.columns[3].positive.push_back("<=50K"); }), "also in negative"));
  REQUIRE(mentions(refusal([](auto& s) {
                     s.columns[3] = {"x", ColumnKind::skip, Transform::none, {}, {}};
                   }),
                   "no column is of kind = \"label\""));
  REQUIRE(mentions(refusal([](auto& s) { s.columns[2].name = "age"; }), "two columns"));
  REQUIRE(mentions(refusal([](auto& s) { s.columns[2].name = "a/b"; }), "a/b"));
  REQUIRE(mentions(refusal([](auto& s) { s.columns[2].transform = Transform::log1p; }), "transform"));
  REQUIRE(mentions(refusal([](auto& s) { s.columns[2].positive = {"1"}; }), "positive"));
  for (const std::string delimiter : {"", ";;", "\n", "\"", "\\n"})
    REQUIRE(mentions(refusal([&](auto& s) { s.delimiter = delimiter; }), "preprocess.delimiter"));
}

TEST_CASE("NumberTransform: gives many numbers the bits of each alone") {
  const Moments moments{4, 2, 8};
  constexpr Index stride = 3, rows = 600;
  std::vector<double> numbers(stride * rows, -7);
  for (Index i = 0; i < rows; ++i) numbers[stride * i] = double(i * i) - 5;
  numbers[stride * 17] = numbers[stride * 599] = std::numeric_limits<double>::quiet_NaN();
  numbers[stride * 18] = -0.0;
  for (const Transform transform : {Transform::none, Transform::log1p, Transform::standardise})
    for (const std::optional<double> fill : {std::optional<double>(), std::optional<double>(3)}) {
      const NumberTransform of("x", transform, moments, fill);
      std::vector<float> dense(stride * rows, -1.0f);
      of(numbers.data(), stride, rows, dense.data(), stride);
      for (Index i = 0; i < rows; ++i) {
        REQUIRE(std::bit_cast<std::uint32_t>(dense[stride * i]) ==
                std::bit_cast<std::uint32_t>(of(numbers[stride * i])));
        REQUIRE(dense[stride * i + 1] == -1.0f);
      }
    }
}

TEST_CASE("NumberTransform: transforms numbers and rebuilds itself from its description") {
  const double missing = std::nan("");
  Moments moments;
  for (const double x : {1.0, 2.0, 3.0, 6.0}) moments.add(x);
  const NumberTransform none("x", Transform::none, {}), log("x", Transform::log1p, {}),
      standard("x", Transform::standardise, moments), constant("x", Transform::standardise, {3, 5, 0});
  REQUIRE(none(-2.5) == -2.5f);
  REQUIRE(none(missing) == 0.0f);
  REQUIRE(log(-7.0) == 0.0f);
  REQUIRE(log(missing) == 0.0f);
  REQUIRE(log(3.0) == static_cast<float>(std::log(4.0)));
  REQUIRE(standard(missing) == 0.0f);
  REQUIRE(standard(3.0) == 0.0f);
  REQUIRE(standard(6.0) == Approx(3.0 / std::sqrt(3.5)));
  REQUIRE(constant(5.0) == 0.0f);
  REQUIRE(log.description() == "log1p");
  REQUIRE(standard.description() == "standardise mean=3 sd=1.8708286933869707");
  for (const NumberTransform& t : {none, log, standard, NumberTransform("x", Transform::standardise, moments, 0.1)}) {
    const auto same = NumberTransform::described("x", t.description());
    REQUIRE(same);
    for (const double x : {missing, -7.0, 0.3, 1e20}) REQUIRE((*same)(x) == t(x));
  }
  for (const std::string text :
       {"", "log", "none x", "standardise mean=1 sd=0", "standardise sd=1 mean=2", "none fill="})
    REQUIRE_FALSE(NumberTransform::described("x", text));
}

TEST_CASE("Moments: the sum over blocks equals the moments of the whole") {
  Moments whole, sum;
  for (int number = 0; number < 7; ++number) {
    Moments block;
    for (int i = 0; i < 5 * number; ++i) {
      const double x = 1e6 + (number * 31 + i * 17) % 100;
      whole.add(x);
      block.add(x);
    }
    sum.add(block);
  }
  REQUIRE(sum.count == whole.count);
  REQUIRE(sum.mean == Approx(whole.mean).epsilon(1e-14));
  REQUIRE(sum.standard_deviation() == Approx(whole.standard_deviation()).epsilon(1e-9));
}
