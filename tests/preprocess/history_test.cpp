// SPDX-License-Identifier: Apache-2.0
// Files that are only read for sequences: their faults, and files that are in two lists.
#include <string>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/store/parted_file.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

constexpr Index rows = 6000;

/// Returns rows of a log of some users from a time on. Row `bad` has no valid time.
std::string log_text(Index begin, Index bad = -1) {
  std::string text = "user,item,when,label\n";
  for (Index i = 0; i < rows; ++i)
    text += concat("user", i % 40, ",item", i % 9, ",", i == bad ? "noon" : std::to_string(begin + i), ",", i % 3 == 0,
                   "\n");
  return text;
}

Settings settings_of(const std::string& output) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.output = output;
  Column label{"label", ColumnKind::label}, when{"when", ColumnKind::time};
  label.positive = {"1"};
  label.negative = {"0"};
  when.parts = {};
  settings.columns = {{"user", ColumnKind::category}, {"item", ColumnKind::category}, when, label};
  settings.sequences = {{"past", "user", "item", "when", 4}};
  return settings;
}

}  // namespace

TEST_CASE("find_sequences: faults of files of history stop the command as those of other files do, on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("log.csv", log_text(100000));
  folder.write("good.csv", log_text(0));
  folder.write("renamed.csv", "usr" + log_text(0).substr(4));
  folder.write("noon.csv", log_text(0, 5990));
  folder.write("all_bad.csv", "user,item,when,label\nu1,i1,noon,1\nu2,i1,noon,1\n");
  folder.write("empty.csv", "user,item,when,label\n");
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    const auto refusal = [&](const std::vector<std::string>& history, BadRows bad_rows) {
      Settings settings = settings_of(folder / name);
      settings.train = {folder / "log.csv"};
      settings.bad_rows = bad_rows;
      for (const std::string& file : history) settings.history.push_back(folder / file);
      return error_of([&] { run(comm, settings); });
    };
    for (const BadRows bad_rows : {BadRows::stop, BadRows::skip})
      CHECK(mentions(refusal({"good.csv", "renamed.csv"}, bad_rows), "renamed.csv:1: the header "));
    CHECK(mentions(refusal({"good.csv", "noon.csv"}, BadRows::stop), "noon.csv:5992: when: \"noon\" is not a time"));
    CHECK(mentions(refusal({"all_bad.csv"}, BadRows::stop), "all_bad.csv:2: when: \"noon\""));
    CHECK(mentions(refusal({"all_bad.csv"}, BadRows::skip), "all rows of all files are bad; the first bad row is "));
    CHECK(mentions(refusal({"good.csv", "empty.csv"}, BadRows::skip), "empty.csv: the file has no rows"));
  });
}

TEST_CASE("find_sequences: rows of files of history that are left out are counted and shown") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = settings_of(folder / "out");
  settings.train = {folder.write("log.csv", log_text(100000))};
  settings.history = {folder.write("noon.csv", log_text(0, 5990))};
  settings.bad_rows = BadRows::skip;
  const PreprocessReport report = run(world, settings);
  REQUIRE(report.history.size() == 1);
  CHECK(report.history[0].rows == rows - 1);
  CHECK(report.history[0].bad_rows == 1);
  std::string text;
  for (const std::string& line : summary(report)) text += line + "\n";
  CHECK(mentions(text, "noon.csv: 1 bad row left out, 5999 kept:"));
  CHECK(mentions(text, "noon.csv:5992: when: \"noon\" is not a time"));
}

TEST_CASE("find_sequences: a file in two lists is refused, because its rows would have their own items") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string log = folder.write("log.csv", log_text(100000)), other = folder.write("other.csv", log_text(0));
  const auto refusal = [&](const std::vector<std::string>& history, const std::vector<std::string>& evaluate,
                           const std::vector<std::string>& predict) {
    Settings settings = settings_of(folder / "out");
    settings.train = {log};
    settings.history = history;
    settings.evaluate = evaluate;
    settings.predict = predict;
    return error_of([&] { run(world, settings); });
  };
  CHECK(mentions(refusal({log}, {}, {}), "preprocess.history and preprocess.train both name " + log));
  CHECK(mentions(refusal({other}, {other}, {}), "preprocess.history and preprocess.evaluate both name " + other));
  CHECK(mentions(refusal({other}, {}, {other}), "preprocess.history and preprocess.predict both name " + other));
  CHECK(mentions(refusal({}, {other}, {other}), "preprocess.evaluate and preprocess.predict both name " + other));
  CHECK(refusal({}, {other}, {}) == "");
}

TEST_CASE("find_sequences: a time that means a missing one is in no sequence") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = settings_of(folder / "out");
  settings.missing = {"", "0"};
  settings.train = {folder.write("log.csv", "user,item,when,label\nu,a,5,1\nu,b,0,0\nu,c,7,1\n")};
  const PreprocessReport report = run(world, settings);
  CHECK(report.unsequenced == std::vector<Index>{1});
  if (world.rank() == 0)
    CHECK(store::PartedFile::open(folder / "out/train.h5").read_all<Index>("/sparse/past/offsets") ==
          std::vector<Index>{0, 0, 0, 1});
}
