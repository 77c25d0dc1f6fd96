// SPDX-License-Identifier: Apache-2.0
// Rows with several labels, some of which they may lack.
#include "catch.hpp"
#include "errors.hpp"
#include "parsed.hpp"
#include <tesserec/raw/row_format.hpp>

using namespace tesserec;
using namespace tesserec::raw;

namespace {

RowSettings three_labels() {
  RowSettings settings;
  settings.format = RawFormat::table;
  settings.columns = {
      {.name = "clicked", .kind = ColumnKind::label, .positive = {"1"}, .negative = {"0"}},
      {.name = "work", .kind = ColumnKind::category},
      {.name = "stars", .kind = ColumnKind::label, .threshold = 4, .optional = true},
      {.name = "bought", .kind = ColumnKind::label, .positive = {"yes"}, .negative = {"no"}, .optional = true}};
  return settings;
}

using Labels = std::vector<int>;

/// Returns the labels of a line, or none if it is bad.
Labels labels_of(const std::string& line) {
  Row row;
  if (!parsed(*make_row_format(three_labels()), line, row).empty()) return {};
  Labels labels{row.label};
  labels.insert(labels.end(), row.further_labels.begin(), row.further_labels.end());
  return labels;
}

}  // namespace

TEST_CASE("make_row_format: reads several labels, and those that a row lacks") {
  const auto format = make_row_format(three_labels());
  CHECK(format->layout().tasks == std::vector<std::string>{"clicked", "stars", "bought"});
  CHECK(format->layout().labels ==
        "clicked: 1 is \"1\", 0 is \"0\"; stars: 1 is at least 4, 0 is less; bought: 1 is \"yes\", 0 is \"no\"");
  CHECK(format->layout().optional_labels);
  CHECK(labels_of("1,a,5,no") == Labels{1, 1, 0});
  CHECK(labels_of("0,a,3.5,yes") == Labels{0, 0, 1});
  CHECK(labels_of("0,a,,?") == Labels{0, lacking_label, lacking_label});
  CHECK(labels_of("1,a,NA,yes") == Labels{1, lacking_label, 1});
  Row row;
  CHECK(parsed(*format, "?,a,3,yes", row) == "clicked: \"?\" is neither a positive nor a negative label");
  CHECK(mentions(parsed(*format, ",a,3,yes", row), "clicked: \"\" is neither"));
  CHECK(row.label_missing);
  CHECK(mentions(parsed(*format, "1,a,many,yes", row), "stars: \"many\" is not a number"));
  CHECK(parsed(*format, "1,a,4,maybe", row) == "bought: \"maybe\" is neither a positive nor a negative label");
}

TEST_CASE("make_row_format: a row without any of its labels is one to score") {
  const auto format = make_row_format(three_labels());
  Row row;
  CHECK(mentions(parsed(*format, "a", row), "1 field, 4 expected: the row seems to lack its label"));
  FileColumns columns;
  const std::vector<std::string> head{"a", "b"};
  REQUIRE(format->find_columns(head, Targets::unread, columns).empty());
  CHECK(columns.places == std::vector<Index>{-1, 0, -1, -1});
  CHECK(columns.fields == 1);
  REQUIRE(format->parse("a", columns, row).empty());
  CHECK(row.tokens[0] == std::string_view("a"));
  CHECK(!row.has_label);
}

TEST_CASE("find_columns: a header that lacks one of several labels is not that of rows to score") {
  RowSettings settings = three_labels();
  settings.header = true;
  const auto fault = [&](const std::string& header) {
    FileColumns columns;
    return make_row_format(settings)->find_columns({&header, 1}, Targets::required, columns);
  };
  CHECK(fault("clicked,work,stars") == "");  // an optional label
  settings.columns[3].optional = false;
  CHECK(
      fault("clicked,work,stars") ==
      "the header has 3 fields that do not fit preprocess.column: it lacks \"bought\"; add what lacks to the file, or "
      "remove its preprocess.column");
  CHECK(mentions(fault("work"), "the label is missing: rows to score belong in preprocess.predict"));
}

TEST_CASE("find_columns: short rows without a header have their columns only if one reading fits") {
  const auto find = [](const RowSettings& settings, std::vector<std::string> head, FileColumns& columns) {
    return make_row_format(settings)->find_columns(head, Targets::unread, columns);
  };
  RowSettings settings;
  settings.format = RawFormat::table;
  settings.short_rows = ShortRows::pad;
  settings.columns = {{"y", ColumnKind::label, Transform::none, {"1"}, {"0"}},
                      {"user", ColumnKind::category},
                      {"price", ColumnKind::category},
                      {"note", ColumnKind::category}};
  FileColumns columns;
  const std::vector<std::string> cut = {"0,3,5", "1,4"};
  const std::string fault = find(settings, cut, columns);
  CHECK(mentions(fault, "its rows have at most 3 of 4 fields"));
  CHECK(mentions(fault, "give the files a header"));
  CHECK(find(settings, {"0,3,5,", "1,4"}, columns).empty());
  CHECK(columns.places == std::vector<Index>{0, 1, 2, 3});
  CHECK(find(settings, {}, columns).empty());
  // A number tells where the columns stand.
  settings.columns[2].kind = ColumnKind::number;
  CHECK(find(settings, {"0,u3,5", "1,u4"}, columns).empty());
  CHECK(columns.places == std::vector<Index>{0, 1, 2, 3});
  CHECK(find(settings, {"u3,5,n", "u4,7"}, columns).empty());
  CHECK(columns.places == std::vector<Index>{-1, 0, 1, 2});
  // A label behind moves no column.
  settings.columns = {settings.columns[1], settings.columns[3], settings.columns[0]};
  CHECK(find(settings, {"3,5", "4"}, columns).empty());
  CHECK(columns.places == std::vector<Index>{0, 1, -1});
  settings.short_rows = ShortRows::stop;
  CHECK(find(settings, cut, columns).empty());
}

TEST_CASE("make_row_format: rows must have a label") {
  RowSettings settings = three_labels();
  settings.columns[0].optional = true;
  CHECK(mentions(error_of([&] { make_row_format(settings); }), "rows could lack all labels"));
  settings.columns.resize(2);
  CHECK(mentions(error_of([&] { make_row_format(settings); }), "rows could lack all labels"));
  settings.columns[0].kind = ColumnKind::skip;
  settings.columns[0].positive = settings.columns[0].negative = {};
  settings.columns[0].optional = false;
  CHECK(mentions(error_of([&] { make_row_format(settings); }), "no column is of kind = \"label\""));
}
