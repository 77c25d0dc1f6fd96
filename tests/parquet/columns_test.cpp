// SPDX-License-Identifier: Apache-2.0
// Texts of each type, page after page (files by make_files.py).
#include "catch.hpp"
#include "errors.hpp"
#include "source_dir.hpp"
#include "tests/preprocess/raw_text.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>

using namespace tesserec;

namespace {

using Texts = std::vector<std::string>;

/// Returns rows of a file, in which | stands between elements and NA for what is missing. `left_out`:
/// columns that are not read.
std::vector<Texts> rows_at(const std::string& path, const Texts& left_out = {}) {
  const parquet::FileShape shape = parquet::shape_of(path);
  std::vector<parquet::ColumnChoice> choices;
  for (std::size_t c = 0; c < shape.columns.size(); ++c) {
    const bool read = std::find(left_out.begin(), left_out.end(), shape.columns[c]) == left_out.end();
    choices.push_back({read, shape.types[c].list ? '|' : '\0'});
  }
  const auto reader = parquet::open_rows(path, {0, shape.row_groups}, choices, "NA");
  std::vector<Texts> rows;
  for (std::vector<std::string_view> fields; reader->next(fields);) rows.emplace_back(fields.begin(), fields.end());
  return rows;
}

std::string path_of(const std::string& name) { return concat(TESSEREC_SOURCE_DIR, "/tests/parquet/", name); }

std::vector<Texts> rows_of(const std::string& name, const Texts& left_out = {}) {
  return rows_at(path_of(name), left_out);
}

Index elements_of(Index user) {
  if (user >= 100 && user < 400) return 0;
  if (user == 450) return 900;
  return user == 699 ? 300 : user % 4;
}

/// Returns a row of pages.parquet.
Texts page_row(Index i, Index j) {
  const bool null = i == 3 && j == 1;
  Texts tags;
  for (Index k = 0; k < (i + j) % 3; ++k) tags.push_back(concat("t", k));
  const std::string all = null || (i + j) % 5 == 0 || tags.empty() ? "NA" : join(tags, "|");
  return {std::to_string(i), all, null || j % 7 == 3 ? "NA" : std::to_string(i * j % 11),
          i % 9 == 0 ? "NA" : concat("n", i)};
}

std::vector<Texts> page_rows() {
  std::vector<Texts> rows;
  for (Index i = 0; i < 700; ++i)
    for (Index j = 0; j < elements_of(i); ++j) rows.push_back(page_row(i, j));
  return rows;
}

}  // namespace

TEST_CASE("RowReader: each type has its text") {
  if (!parquet::is_built()) return;
  const std::vector<Texts> rows = rows_of("types.parquet");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == Texts{"-128",
                         "255",
                         "-32768",
                         "65535",
                         "-2147483648",
                         "4294967295",
                         "-9223372036854775808",
                         "18446744073709551615",
                         "0.1",
                         "-1e-300",
                         "1",
                         "a b",
                         "x",
                         "\x01",
                         "NA",
                         "86400",
                         "-2",
                         "-1.75",
                         "-1.75",
                         "-1.75",
                         "NA",
                         "1|2"});
  CHECK(rows[1] == Texts{"NA", "7",  "NA", "7", "1000",   "999", "NA", "0",  "NA",         "5",  "0",
                         "",   "NA", "NA", "d", "-86400", "60",  "NA", "NA", "1000000000", "NA", "NA"});
  CHECK(rows_of("times.parquet") == std::vector<Texts>{{"-1.75", "-1e-300"}, {"1000000000", "5"}});
}

TEST_CASE("RowReader: columns whose pages and lists end in other rows stay together") {
  if (!parquet::is_built()) return;
  const std::vector<Texts> expected = page_rows();
  CHECK(rows_of("pages.parquet") == expected);
  std::size_t column = 0;
  for (const std::string left_out : {"user", "tags", "item", "note"}) {
    std::vector<Texts> some = expected;
    for (Texts& row : some) row[column].clear();
    CHECK(rows_of("pages.parquet", {left_out}) == some);
    ++column;
  }
  const std::vector<Texts> users = rows_of("pages.parquet", {"tags", "item"});
  REQUIRE(users.size() == 700);
  for (Index i = 0; i < 700; ++i)
    CHECK(users[std::size_t(i)] == Texts{std::to_string(i), "", "", i % 9 == 0 ? "NA" : concat("n", i)});
  CHECK(rows_of("pages.parquet", {"user", "tags", "item", "note"}) == std::vector<Texts>(700, Texts(4)));
}

TEST_CASE("RowReader: two fields of one name are two columns") {
  if (!parquet::is_built()) return;
  CHECK(rows_of("twins.parquet") == std::vector<Texts>{{"7", "1", "4"}, {"8", "2", "5"}, {"8", "3", "6"}});
}

TEST_CASE("RowReader: pages without values end no column") {
  if (!parquet::is_built()) return;
  constexpr Index users = 14;
  std::vector<Texts> elements, lists;
  for (Index i = 0; i < users; ++i) {
    Texts groups;
    for (Index k = 0; k < i % 5; ++k) groups.push_back(concat("g", i * k % 9));
    const std::string all = groups.empty() ? "NA" : join(groups, "|");
    lists.push_back({"", "", "", all});
    for (Index j = 0; i % 7 != 3 && j < i % 6; ++j)
      elements.push_back({std::to_string(i), std::to_string(i * j % 11), concat("t", (i + j) % 5), all});
  }
  CHECK(rows_of("gaps.parquet") == elements);
  CHECK(rows_of("gaps.parquet", {"user", "item", "tag"}) == lists);
}

TEST_CASE("RowReader: a page with fewer values than its levels say is refused") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  const std::string bytes = test::read_bytes(path_of("packed.parquet"));
  const std::string count_of_values = "\x04\x64";  // 4 blocks, 100 values
  int pages = 0;
  for (std::size_t at = bytes.find(count_of_values); at != std::string::npos;
       at = bytes.find(count_of_values, at + 1)) {
    std::string damaged = bytes;
    damaged[at + 1] = 50;
    const std::string path = folder.write(concat("packed", pages, ".parquet"), damaged);
    CHECK(mentions(error_of([&] { rows_at(path); }),
                   concat(".parquet: cannot read the Parquet file: row group 0 ",
                          "has too few or too many values in column ", pages == 0 ? "number" : "text")));
    ++pages;
  }
  CHECK(pages == 2);
}

TEST_CASE("RowReader: a row group whose lists begin in more or fewer rows than it says is refused") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  std::string bytes = test::read_bytes(path_of("gaps.parquet"));
  const std::size_t rows = bytes.rfind("\x16\x1C");  // twice 14, the rows of the last row group in the footer
  REQUIRE(rows != std::string::npos);
  for (const char other : {'\x1A', '\x1E'}) {
    bytes[rows + 1] = other;
    const std::string path = folder.write(concat("rows", int(other), ".parquet"), bytes);
    CHECK(mentions(error_of([&] { rows_at(path, {"user", "groups"}); }), "too many values in column item"));
  }
}

TEST_CASE("RowReader: times of 96 bits are of any year, and whole floats have the texts of integers") {
  if (!parquet::is_built()) return;
  CHECK(rows_of("far.parquet") ==
        std::vector<Texts>{{"-14831769600", "800000", "16777216"}, {"253402214400.5", "-1000000000000000", "1e+20"}});
}

TEST_CASE("RowReader: fractions of a second are exact") {
  if (!parquet::is_built()) return;
  const std::vector<Texts> rows = {{"-0.000001", "-1500000000.000000001"},
                                   {"1500000909.925041", "1500000000.123456789"}};
  CHECK(rows_of("exact.parquet") == rows);
  CHECK(rows_of("exact96.parquet") == rows);
}

TEST_CASE("open_rows: decimals have the texts of numbers, without zeros at their end") {
  if (!parquet::is_built()) return;
  for (const char* name : {"decimals.parquet", "decimals_int.parquet"}) {
    INFO(name);
    CHECK(rows_of(name) == std::vector<Texts>{{"3.5", "3.5", "3.5", "3.5|12345"},
                                              {"-0.05", "-0.05", "-0.05", "NA"},
                                              {"NA", "NA", "NA", "NA"},
                                              {"12345", "12345", "12345", "-0.05"},
                                              {"-123456789012345678.9", "NA", "NA", "NA"}});
    for (const parquet::ColumnType& type : parquet::shape_of(path_of(name)).types) CHECK(type.readable);
  }
}

TEST_CASE("for_each_row: times of a day are seconds, durations numbers of their units, decimals as long as they are") {
  if (!parquet::is_built()) return;
  const std::string huge = "1234567890123456789012345678901234567890.125";
  CHECK(rows_of("clock.parquet") ==
        std::vector<Texts>{{"32887", "32887.25", "32887.25", "32887.25", "-1500", "86400", huge, "1|2"},
                           {"NA", "0", "NA", "3600", "NA", "NA", "-" + huge, "3"}});
  for (const parquet::ColumnType& type : parquet::shape_of(path_of("clock.parquet")).types) CHECK(type.readable);
}
