// SPDX-License-Identifier: Apache-2.0
// Rows of a deck's [preprocess], read without the job's keys.
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/schema/raw_rows.hpp>

using namespace tesserec;

TEST_CASE("read_rows: reads columns and sequences and skips the keys of the job") {
  const std::string text = R"([run]
name = "r"
[preprocess]
format = "table"
train = ["day.csv"]
missing = ["-"]
[[preprocess.column]]
name = "price"
kind = "number"
transform = "log1p"
[[preprocess.column]]
name = "tags"
kind = "category"
separator = "|"
[[preprocess.join]]
file = "side.csv"
[[preprocess.sequence]]
name = "history"
user = "u"
item = "tags"
time = "t"
[data]
train = ["a.h5", "b.h5"]
)";
  const raw::RowSettings rows = schema::read_rows(text, "deck");
  CHECK(rows.format == raw::RawFormat::table);
  CHECK(rows.missing == std::vector<std::string>{"-"});
  REQUIRE(rows.columns.size() == 2);
  CHECK(rows.columns[0].transform == raw::Transform::log1p);
  CHECK(rows.columns[1].separator == "|");
  REQUIRE(rows.sequences.size() == 1);
  CHECK(rows.sequences[0].length == 20);
  CHECK(schema::training_data(text, "deck") == std::vector<std::string>{"a.h5", "b.h5"});
  CHECK(schema::read_rows("[model]\ntype = \"dlrm\"\n", "deck").columns.empty());
  CHECK(schema::training_data("[model]\ntype = \"dlrm\"\n", "deck").empty());
  CHECK(mentions(error_of([&] { schema::read_rows("[preprocess]\ncolour = 1\n", "deck"); }), "deck:2"));
}
