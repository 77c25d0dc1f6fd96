// SPDX-License-Identifier: Apache-2.0
// Parquet files (clicks.parquet by make_files.py): as rows, and in whole runs beside the same table in text. Without
// Arrow in the build: the refusal.
#include <filesystem>

#include "catch.hpp"
#include "errors.hpp"
#include "source_dir.hpp"
#include "tests/preprocess/raw_text.hpp"
#include "tests/preprocess/runs.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

constexpr Index clicks_rows = 300;

std::string clicks_path() { return std::string(TESSEREC_SOURCE_DIR) + "/tests/parquet/clicks.parquet"; }

std::string pages_path() { return std::string(TESSEREC_SOURCE_DIR) + "/tests/parquet/pages.parquet"; }

/// Returns the table of clicks.parquet as text.
std::string clicks_text() {
  std::string text = "country,user,tags,sizes,price,small,count,when,clicked\n";
  for (Index i = 0; i < clicks_rows; ++i) {
    const std::string user = i % 11 == 0 ? "" : concat("\"u, ", i % 17, "\"");
    std::vector<std::string> tags;
    for (Index j = 0; i % 7 != 0 && j < i % 4; ++j)
      if (j != 2) tags.push_back(concat("t", (i + j) % 9));
    const std::string price = i % 13 == 0 ? "" : shortest(double(i) / 7);
    text += concat(i % 3 == 0 ? "de" : (i % 3 == 1 ? "fr" : "jp"), ",", user, ",", join(tags, "|"), ",", i % 5, " ",
                   i % 3, ",", price, ",", shortest(double(i % 10) / 10), ",", i * 1000003, ",",
                   1413849600 + 37 * 60 * i, ",", i % 3 == 0 ? 1 : 0, "\n");
  }
  return text;
}

Settings clicks(const std::string& train, const std::string& output) {
  Settings settings = criteo({train}, output);
  settings.format = RawFormat::table;
  settings.header = settings.skip_other_columns = true;
  Column tags{"tags", ColumnKind::category}, sizes{"sizes", ColumnKind::category};
  tags.separator = "|";
  sizes.separator = " ";
  settings.columns = {{"clicked", ColumnKind::label, Transform::none, {"1"}, {"0"}},
                      {"price", ColumnKind::number, Transform::standardise},
                      {"small", ColumnKind::number},
                      {"count", ColumnKind::number},
                      {"user", ColumnKind::category},
                      tags,
                      sizes,
                      {"country", ColumnKind::category},
                      {"when", ColumnKind::time}};
  return settings;
}

template <class T>
bool same_data(const std::string& a, const std::string& b, const std::string& dataset) {
  return store::File::open(a).read_all<T>(dataset) == store::File::open(b).read_all<T>(dataset);
}

}  // namespace

TEST_CASE("is_built: is what the build was configured for, so that no other test is left out") {
  CHECK(parquet::is_built() == bool(TESSEREC_PARQUET));
}

TEST_CASE("preprocess: a Parquet file needs a build with Arrow") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (parquet::is_built()) return;
  const std::string message = error_of([&] { preprocess::run(world, clicks(clicks_path(), folder / "out")); });
  CHECK(mentions(message, "clicks.parquet: it is a Parquet file, but this build has no Arrow to read it"));
}

TEST_CASE("preprocess: a Parquet file gives the data of the same table in text and the same bytes from any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  folder.write("clicks.csv", clicks_text());
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    const PreprocessReport report = preprocess::run(comm, clicks(clicks_path(), folder / name));
    CHECK(report.train.rows == clicks_rows);
    CHECK(report.train.column(0).missing == 24);
  });
  preprocess::run(world, clicks(folder / "clicks.csv", folder / "text"));
  if (world.rank() != 0) return;
  const std::string one = folder / "1/train.h5", text = folder / "text/train.h5";
  for (int ranks = 2; ranks <= world.size(); ++ranks)
    CHECK(test::read_bytes(folder / (std::to_string(ranks) + "/train.h5")) == test::read_bytes(one));
  for (const char* feature : {"user", "tags", "sizes", "country", "when_hour", "when_weekday", "when_day"}) {
    INFO(feature);
    CHECK(same_data<std::int64_t>(one, text, concat("/sparse/", feature, "/offsets")));
    CHECK(same_data<std::int64_t>(one, text, concat("/sparse/", feature, "/values")));
    CHECK(same_data<std::uint8_t>(one, text, concat("/vocabulary/", feature, "/tokens")));
  }
  CHECK(same_data<std::uint8_t>(one, text, "/labels"));
  const auto dense = store::File::open(one).read_all<float>("/dense");
  const auto expected = store::File::open(text).read_all<float>("/dense");
  REQUIRE(dense.size() == expected.size());
  // Means are summed by row groups here and by 64 KiB there.
  for (std::size_t i = 0; i < dense.size(); ++i) CHECK(dense[i] == Approx(expected[i]).epsilon(1e-6).margin(1e-6));
}

TEST_CASE("preprocess: a null of a Parquet side table is missing, whatever texts are") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  std::string text = "clicked,user\n";  // pages.parquet has 700 users, of whom 78 have no note
  for (Index i = 0; i < 700; ++i) text += concat(i % 2, ",", i, "\n");
  Settings settings = clicks(folder.write("log.csv", text), folder / "out");
  settings.columns = {settings.columns[0], {"user", ColumnKind::category}, {"note", ColumnKind::category}};
  settings.joins = {{pages_path(), {"user"}, {}, {"note"}, {}, ""}};
  settings.missing = {"none"};
  const PreprocessReport report = preprocess::run(world, settings);
  CHECK(report.train.column(1).missing == 78);
  CHECK(report.values[1] == 622);
}

TEST_CASE("preprocess: a Parquet file that does not fit names file and column and row") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  const auto failure = [&](const Settings& settings) { return error_of([&] { preprocess::run(world, settings); }); };
  const Settings good = clicks(clicks_path(), folder / "out");
  Settings settings = good;
  settings.columns[4].name = "buyer";
  CHECK(mentions(failure(settings), "clicks.parquet: the header has 10 fields"));
  settings = good;
  settings.columns[4].name = "box";
  CHECK(mentions(failure(settings), "column box has type struct<a: int64, b: string>, which cannot be read"));
  settings = good;
  settings.columns[6].separator.clear();
  CHECK(mentions(failure(settings), "column sizes has lists; give it kind = \"category\" and a separator"));
  settings = good;
  settings.columns[5].separator = "t";
  CHECK(mentions(failure(settings), "clicks.parquet: column " + settings.columns[5].name + ": the element \""));
  CHECK(mentions(failure(settings), "of a list has the separator \"t\" in it; give the column another separator"));
  settings = good;
  settings.columns[1].name = "country";
  settings.columns[7].name = "price";
  CHECK(mentions(failure(settings), "clicks.parquet:1: country: \"de\" is not a number"));
  CHECK(mentions(failure(criteo({clicks_path()}, folder / "out")), "set preprocess.format = \"table\""));
  const std::string bytes = test::read_bytes(clicks_path());
  settings = good;
  settings.train = {folder.write("cut.parquet", bytes.substr(0, bytes.size() - 9))};
  CHECK(mentions(failure(settings), "cut.parquet: cannot read the Parquet file: "));
  std::string damaged = bytes;
  for (std::size_t i = 200; i < 2000; ++i) damaged[i] = char(damaged[i] ^ 0x55);
  settings.train = {folder.write("odd.parquet", damaged)};
  CHECK(mentions(failure(settings), "odd.parquet: cannot read the Parquet file: "));
}
