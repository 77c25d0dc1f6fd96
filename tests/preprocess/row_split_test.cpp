// SPDX-License-Identifier: Apache-2.0
// Division of raw training files into training and evaluation rows.
#include <functional>
#include <map>
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

constexpr Index rows = 9000;

std::string user_of(Index row) { return row == 4321 ? "once" : "u" + std::to_string(row * row % 97); }
/// Returns a time, seconds from 1414800000 (2014-11-01 00:00:00), that repeats and is not in the order of the rows.
Index second_of(Index row) { return row * 7919 % rows / 40 * 1000; }

/// Returns a log of row, user, time, price and label. Every 100th row lacks its time.
std::string log_text() {
  std::string text = "row,user,when,price,label\n";
  for (Index i = 0; i < rows; ++i)
    text += concat("r", i, ",", user_of(i), ",", i % 100 == 7 ? "" : std::to_string(1414800000 + second_of(i)), ",",
                   i % 13, ",", i % 3 == 0, "\n");
  return text;
}

Settings settings_of(const std::string& log, const std::string& output) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.train = {log};
  settings.output = output;
  Column label{"label", ColumnKind::label}, price{"price", ColumnKind::number, Transform::standardise};
  label.positive = {"1"};
  label.negative = {"0"};
  settings.columns = {
      {"row", ColumnKind::key}, {"user", ColumnKind::category}, {"when", ColumnKind::time}, price, label};
  return settings;
}

/// Returns the numbers of the rows in an evaluation file, from its keys.
std::set<Index> rows_of(const std::string& path) {
  const store::File file = store::File::open(path);
  const auto bytes = file.read_all<std::uint8_t>("/keys/row");
  const auto width = file.shape("/keys/row")[1];
  std::set<Index> found;
  for (std::size_t at = 0; at < bytes.size(); at += width)
    found.insert(
        std::stoll(std::string(bytes.begin() + std::ptrdiff_t(at) + 1, bytes.begin() + std::ptrdiff_t(at + width))));
  return found;
}

/// Splits the log by the rule on 1, 2, ... ranks, compares the bytes, and checks the evaluation rows against
/// `evaluates`.
SplitReport check_split(const SplitSettings& split, const std::function<bool(Index)>& evaluates) {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("log.csv", log_text());
  folder.write("log.gz", test::gzipped(log_text()));
  SplitReport found;
  const auto run_one = [&](const comm::Communicator& comm, const std::string& log, const std::string& name) {
    Settings settings = settings_of(folder / log, folder / name);
    settings.split = split;
    const PreprocessReport report = run(comm, settings);
    found = report.split;
    CHECK(report.train.rows + report.evaluate.rows == rows);
    CHECK(found.train == report.train.rows);
    CHECK(found.evaluate == report.evaluate.rows);
  };
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    run_one(comm, "log.csv", name);
    run_one(comm, "log.gz", "gz" + name);
  });
  if (world.rank() != 0) return found;
  std::set<Index> wanted;
  for (Index i = 0; i < rows; ++i)
    if (evaluates(i)) wanted.insert(i);
  CHECK(rows_of(folder / "1/evaluate.h5") == wanted);
  const auto dense = store::File::open(folder / "1/train.h5").read_all<float>("/dense");
  double sum = 0;
  for (const float x : dense) sum += double(x);
  CHECK(std::abs(sum) < 1e-2);  // The mean is that of the training rows.
  for (int ranks = 2; ranks <= world.size(); ++ranks)
    for (const std::string file : {"/train.h5", "/evaluate.h5"})
      CHECK(test::read_bytes(folder / (std::to_string(ranks) + file)) == test::read_bytes(folder / ("1" + file)));
  CHECK(rows_of(folder / "gz1/evaluate.h5") == wanted);
  return found;
}

std::string refusal(const std::function<void(Settings&)>& change) {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("log.csv", log_text());
  Settings settings = settings_of(folder / "log.csv", folder / "out");
  change(settings);
  return error_of([&] { run(world, settings); });
}

}  // namespace

TEST_CASE("split_rows: by hash keeps the rows of a user together in the share of the users") {
  std::set<std::string> users;
  // The hash of "u1" in the log must be that of any other run, so the expected users are those of XXH3_64.
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("log.csv", log_text());
  Settings settings = settings_of(folder / "log.csv", folder / "out");
  settings.split = {SplitBy::hash, "user", "", 0.25};
  const PreprocessReport report = run(world, settings);
  if (world.rank() == 0) {
    for (const Index row : rows_of(folder / "out/evaluate.h5")) users.insert(user_of(row));
    CHECK(users.size() > 8);
    CHECK(users.size() < 45);
    CHECK(report.values[0] == 50 - std::ssize(users));
  }
  world.barrier();
  const std::string list = world.broadcast(join(users), 0);
  check_split(settings.split,
              [&](Index row) { return (", " + list + ",").find(", " + user_of(row) + ",") != std::string::npos; });
}

TEST_CASE("split_rows: by hash of the row takes the share of the rows") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("log.csv", log_text());
  Settings settings = settings_of(folder / "log.csv", folder / "out");
  settings.split = {SplitBy::hash, "", "", 0.2};
  const PreprocessReport report = run(world, settings);
  CHECK(std::abs(double(report.evaluate.rows) - 0.2 * rows) < 4 * std::sqrt(0.16 * rows));
  CHECK(mentions(description(report.split), "split by hash of the row: "));
}

TEST_CASE("split_rows: by time takes the latest rows with all rows of the first time") {
  std::multimap<Index, Index> by_time;
  for (Index i = 0; i < rows; ++i)
    if (i % 100 != 7) by_time.emplace(second_of(i), i);
  auto first = by_time.end();
  for (Index i = 0; i < Index(0.3 * double(by_time.size()) + 0.5); ++i) --first;
  const Index border = first->first;
  const SplitReport report = check_split({SplitBy::time, "", "when", 0.3},
                                         [&](Index row) { return row % 100 != 7 && second_of(row) >= border; });
  CHECK(report.untimed == rows / 100);
  CHECK(mentions(description(report), "from 2014-11-0"));
  CHECK(mentions(description(report), "90 rows without a time"));
}

TEST_CASE("split_rows: by day takes the rows of the last days") {
  const Index last = (rows - 1) / 40 * 1000 / 86400;
  const SplitReport report = check_split({SplitBy::day, "", "when", 0.1, 1},
                                         [&](Index row) { return row % 100 != 7 && second_of(row) / 86400 == last; });
  CHECK(report.border == concat("2014-11-0", 1 + last));
}

TEST_CASE("split_rows: days are those of UTC, wherever a time was written") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text = "row,user,when,price,label\n";
  for (const char* when : {"2024-01-01T23:00:00-05:00", "2024-01-02T01:00:00+09:00", "2024-01-01T12:00:00Z"})
    text += concat("r", text.size(), ",u,", when, ",1,1\n");
  Settings settings = settings_of(folder.write("log.csv", text), folder / "out");
  settings.columns[2].time = "iso";
  settings.split = {SplitBy::day, "", "when", 0.1, 1};
  const PreprocessReport report = run(world, settings);
  CHECK(report.evaluate.rows == 1);
  CHECK(report.split.border == "2024-01-02");
  if (world.rank() == 0) CHECK(rows_of(folder / "out/evaluate.h5") == std::set<Index>{26});  // the first row
}

TEST_CASE("split_rows: by last takes each user's last row in time unless it is the only one") {
  std::map<std::string, std::pair<std::pair<Index, Index>, Index>> users;  // latest time and row, rows
  for (Index i = 0; i < rows; ++i) {
    auto& [latest, count] = users.try_emplace(user_of(i), std::pair(Index{-1}, Index{-1}), 0).first->second;
    latest = std::max(latest, std::pair(i % 100 == 7 ? -1 : second_of(i), i));
    ++count;
  }
  const SplitReport report = check_split({SplitBy::last, "user", "when"}, [&](Index row) {
    return users[user_of(row)].first.second == row && users[user_of(row)].second > 1;
  });
  CHECK(report.users == std::ssize(users));
  CHECK(report.single == 1);
}

TEST_CASE("split_rows: counts bad rows once and leaves files to predict whole") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text = log_text();
  text += "\nr1,u1,1414800000,x,1\nr2,u1,1414800000,1,1\n";
  folder.write("log.csv", text);
  Settings settings = settings_of(folder / "log.csv", folder / "out");
  settings.split = {SplitBy::hash, "", "", 0.5};
  settings.bad_rows = BadRows::skip;
  settings.predict = {folder.write("new.csv", "row,user,when,price\nr5,u1,1414800000,1\nr6,u1,1414800000,1\n")};
  const PreprocessReport report = run(world, settings);
  CHECK(report.train.bad_rows() == 2);
  CHECK(report.evaluate.bad_rows() == 0);
  CHECK(report.train.rows + report.evaluate.rows == rows + 1);
  CHECK(report.predict.rows == 2);
  settings.bad_rows = BadRows::stop;
  CHECK(mentions(error_of([&] { run(world, settings); }), concat("log.csv:", rows + 2, ": the line is empty")));
}

TEST_CASE("split_rows: names the key that does not fit") {
  using S = Settings;
  CHECK(mentions(refusal([](S& s) { s.split = {SplitBy::last, "", "when"}; }), "preprocess.split.column is missing"));
  CHECK(mentions(refusal([](S& s) { s.split = {SplitBy::time, "", ""}; }), "preprocess.split.time is missing"));
  CHECK(mentions(refusal([](S& s) {
                   s.split = {SplitBy::time, "", "price"};
                 }),
                 "column \"price\" is not of kind = \"time\""));
  CHECK(mentions(refusal([](S& s) {
                   s.split = {SplitBy::time, "user", "when"};
                 }),
                 "column applies only to by = \"hash\""));
  CHECK(mentions(refusal([](S& s) { s.split.column = "user"; }), "column applies only to by = \"hash\""));
  CHECK(mentions(refusal([](S& s) {
                   s.split = {SplitBy::hash, "usr", ""};
                 }),
                 "there is no column \"usr\"; the columns are"));
  CHECK(mentions(refusal([](S& s) {
                   s.columns[1].kind = ColumnKind::skip;
                   s.split = {SplitBy::hash, "user", ""};
                 }),
                 "column \"user\" is not read"));
  CHECK(mentions(refusal([](S& s) {
                   s.split.by = SplitBy::hash;
                   s.evaluate = s.train;
                 }),
                 "but preprocess.evaluate names files, too"));
  CHECK(mentions(refusal([](S& s) { s.split = {SplitBy::hash, "", "", 1e-9}; }), "rows stay training rows"));
}

TEST_CASE("split_rows: a log without rows or times has an error that says so") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string header = "row,user,when,price,label\n";
  folder.write("empty.csv", header);
  folder.write("bad.csv", header + "r1,u1,1414800000,x,1\n");
  folder.write("untimed.csv", header + "r1,u1,,1,1\nr2,u1,,1,0\n");
  const auto refused = [&](const std::vector<std::string>& files, const SplitSettings& split) {
    Settings settings = settings_of("", folder / "out");
    settings.train.clear();
    for (const std::string& file : files) settings.train.push_back(folder / file);
    settings.bad_rows = BadRows::skip;
    settings.split = split;
    return error_of([&] { run(world, settings); });
  };
  for (const SplitSettings& split : {SplitSettings{SplitBy::hash, "", "", 0.5}, {SplitBy::day, "", "when", 0.1, 2}}) {
    CHECK(mentions(refused({"empty.csv"}, split), "empty.csv: the file has no rows"));
    CHECK(mentions(refused({"bad.csv"}, split), "the first bad row is " + (folder / "bad.csv") + ":2: "));
  }
  CHECK(mentions(refused({"untimed.csv"}, {SplitBy::day, "", "when", 0.1, 2}),
                 "all 2 rows stay training rows, because none has a when"));
}

TEST_CASE("split_rows: the verdict judges daily files by the rows of both sides, and finds one that is given twice") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = settings_of("", folder / "out");
  settings.train.clear();
  settings.bad_rows = BadRows::skip;
  settings.split = {SplitBy::day, "", "when", 0.1, 1};
  for (Index day = 0; day < 4; ++day) {
    std::string text = "row,user,when,price,label\n";
    for (Index i = 0; i < 300; ++i)
      text += concat("r", day, "x", i, ",u", i * i % 7, ",", 1414800000 + 86400 * day + 280 * i, ",", 300 * day + i,
                     ",", i % 3 == 0, "\n");
    settings.train.push_back(folder.write(concat("log_", day, ".csv"), text + "bad\n"));
  }
  settings.strict = true;
  const PreprocessReport report = run(world, settings);
  CHECK(report.evaluate.rows == 300);
  CHECK(report.findings.empty());
  settings.train.push_back(folder.write("log_4.csv", test::read_bytes(settings.train[0])));
  CHECK(mentions(error_of([&] { run(world, settings); }), "the data have 1 finding, so nothing was written"));
}
