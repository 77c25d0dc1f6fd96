// SPDX-License-Identifier: Apache-2.0
// Splits of logs whose rows lack the user or the time, or whose files have no rows.
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

const std::string header = "row,user,when,label\n";

Settings settings_of(const std::string& log, const std::string& output, const SplitSettings& split) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.train = {log};
  settings.output = output;
  settings.split = split;
  Column label{"label", ColumnKind::label}, when{"when", ColumnKind::time};
  label.positive = {"1"};
  label.negative = {"0"};
  when.parts = {};
  settings.columns = {{"row", ColumnKind::key}, {"user", ColumnKind::category}, when, label};
  return settings;
}

/// Returns the keys of the evaluation rows, one character each.
std::string rows_of(const std::string& output) {
  const auto bytes = store::File::open(output + "/evaluate.h5").read_all<std::uint8_t>("/keys/row");
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("split_rows: by last leaves rows without a time or a user to train") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  // All rows of u2 lack their time; the last row of u1 in the file does.
  folder.write("log.csv", header + "a,u1,5,1\nb,u2,,0\nc,u1,7,1\nd,u2,NA,1\ne,,9,0\nf,?,10,1\ng,u1,,0\nh,u3,8,1\n");
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    const SplitReport timed =
        run(comm, settings_of(folder / "log.csv", folder / name, {SplitBy::last, "user", "when"})).split;
    CHECK(timed.untimed == 3);
    CHECK(timed.unnamed == 2);
    CHECK(timed.users == 3);
    CHECK(timed.single == 1);
    CHECK(mentions(description(timed), "3 rows without a time; 2 rows without a user"));
    if (comm.rank() == 0) CHECK(rows_of(folder / name) == "c");
    const SplitReport ordered =
        run(comm, settings_of(folder / "log.csv", folder / name, {SplitBy::last, "user", ""})).split;
    CHECK(ordered.untimed == 0);
    if (comm.rank() == 0) CHECK(rows_of(folder / name) == "dg");
  });
}

TEST_CASE("split_rows: by hash leaves rows without a user to train") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text = header;
  for (Index i = 0; i < 500; ++i) text += concat("r,", i % 10 == 0 ? concat("u", i) : "", ",5,", i % 3 == 0, "\n");
  for (const double fraction : {0.3, 0.9}) {  // An empty text is in one of the two shares.
    const PreprocessReport report =
        run(world, settings_of(folder.write("log.csv", text), folder / "out", {SplitBy::hash, "user", "", fraction}));
    CHECK(report.split.unnamed == 450);
    CHECK(report.train.rows >= 450);
    CHECK(report.evaluate.rows > 0);
  }
  std::string nobody = header + "a,,5,1\nb,NA,6,0\n";
  CHECK(mentions(
      error_of([&] {
        run(world, settings_of(folder.write("log.csv", nobody), folder / "out", {SplitBy::hash, "user", "", 0.9}));
      }),
      "all 2 rows stay training rows, because none has a user"));
}

TEST_CASE("split_rows: by time takes its share of the rows with a time, and a text of preprocess.missing is none") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text = header;
  for (Index i = 0; i < 100; ++i)
    text += concat("r,u", i % 7, ",", i < 20 ? std::to_string(1500000000 + i) : "9999999999", ",", i % 3 == 0, "\n");
  Settings settings = settings_of(folder.write("log.csv", text), folder / "out", {SplitBy::time, "", "when", 0.5});
  settings.missing = {"", "9999999999"};
  const SplitReport report = run(world, settings).split;
  CHECK(report.untimed == 80);
  CHECK(report.evaluate == 10);
  CHECK(report.border == "2017-07-14 02:40:10");
}

TEST_CASE("split_rows: a file without rows is refused as without a split") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("empty.csv", header);
  folder.write("log.csv", header + "a,u1,5,1\nb,u2,6,0\nc,u1,7,1\nd,u2,8,1\n");
  for (const SplitBy by : {SplitBy::none, SplitBy::day, SplitBy::last}) {
    SplitSettings split{by, by == SplitBy::last ? "user" : "", by == SplitBy::none ? "" : "when"};
    Settings settings = settings_of(folder / "log.csv", folder / "out", split);
    settings.train.push_back(folder / "empty.csv");
    CHECK(mentions(error_of([&] { run(world, settings); }), "empty.csv: the file has no rows; remove it"));
  }
}
