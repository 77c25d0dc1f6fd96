// SPDX-License-Identifier: Apache-2.0
// Lists of structs of a Parquet file (events.parquet by make_files.py), whose elements are rows.
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

constexpr Index users = 1500;

std::string events_path() { return std::string(TESSEREC_SOURCE_DIR) + "/tests/parquet/events.parquet"; }

/// Returns the events of events.parquet as text, a row each. Sets `rows`.
std::string events_text(Index& rows) {
  std::string text = "user,item,action,at,groups\n";
  rows = 0;
  for (Index i = 0; i < users; ++i)
    for (Index j = 0; i != 5 && j < i % 6; ++j, ++rows) {
      const bool null = i == 7 && j == 1;
      text += concat(1000 + i, ",", null ? "" : std::to_string(i * j % 11), ",",
                     null || j == 4 ? "" : std::to_string((i + j) % 2), ",",
                     null ? "" : std::to_string(1745919240 + 60 * j), ",", i % 3, "|7\n");
    }
  return text;
}

Settings events(const std::string& train, const std::string& output) {
  Settings settings = criteo({train}, output);
  settings.format = RawFormat::table;
  settings.header = settings.skip_other_columns = true;
  Column groups{"groups", ColumnKind::category};
  groups.separator = "|";
  settings.columns = {{"user", ColumnKind::category},
                      {"item", ColumnKind::category},
                      {"action", ColumnKind::label, Transform::none, {"1"}, {"0", ""}},
                      {"at", ColumnKind::time},
                      groups};
  return settings;
}

}  // namespace

TEST_CASE("preprocess: elements of a list of structs are the rows of the same table in text, from any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  Index rows = 0;
  folder.write("events.csv", events_text(rows));
  preprocess::run(world, events(folder / "events.csv", folder / "text"));
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    CHECK(preprocess::run(comm, events(events_path(), folder / name)).train.rows == rows);
  });
  if (world.rank() != 0) return;
  const store::File text = store::File::open(folder / "text/train.h5");
  for (int ranks = 1; ranks <= world.size(); ++ranks) {
    const store::File file = store::File::open(folder / (std::to_string(ranks) + "/train.h5"));
    CHECK(file.read_all<std::uint8_t>("/labels") == text.read_all<std::uint8_t>("/labels"));
    for (const char* feature : {"user", "item", "groups", "at_hour"}) {
      INFO(feature);
      for (const char* part : {"offsets", "values"}) {
        const std::string name = concat("/sparse/", feature, "/", part);
        CHECK(file.read_all<std::int64_t>(name) == text.read_all<std::int64_t>(name));
      }
    }
  }
}

TEST_CASE("preprocess: lists of structs that no column reads leave the rows of the file") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  Settings settings = events(events_path(), folder / "out");
  settings.columns = {{"user", ColumnKind::label}, {"groups", ColumnKind::category}};
  settings.columns[0].threshold = 1700;
  settings.columns[1].separator = "|";
  CHECK(preprocess::run(world, settings).train.rows == users);
}

TEST_CASE("preprocess: rows are the elements of one list of structs") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  Settings settings = events(events_path(), folder / "out");
  settings.columns.push_back({"x", ColumnKind::category});
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }),
                 "events.parquet: x is in another list of structs than the columns before it"));
  settings = events(events_path(), folder / "out");
  settings.columns[2].negative = {"0"};
  // The first element without an action is the fifth of user 1011, the 26th element.
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }), "events.parquet:"));
}
