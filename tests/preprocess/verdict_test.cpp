// SPDX-License-Identifier: Apache-2.0
// Faults planted in raw files, each found by the verdict on any ranks, and a clean log without a finding.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include <tesserec/core/error.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

constexpr Index day_rows = 600;

/// Row of a click log: fields by column.
using LogRow = std::map<std::string, std::string>;
/// Change of row number i.
using Change = std::function<void(Index i, LogRow& row)>;

/// Returns a day's text: label, price, user and item, of which price and item have effects on the label.
std::string day_text(Index day, const Change& change = nullptr) {
  const Random random(40 + std::uint64_t(day), Purpose::test);
  std::string text = "click,price,user,item,site\n";
  for (Index i = 0; i < day_rows; ++i) {
    const Index item = Index(random.below(20, i, 1));
    const bool click = random.uniform53(i, 0) < 0.1 + 0.02 * double(item);
    LogRow row = {{"click", click ? "1" : "0"},
                  {"price", std::to_string(random.below(100000, i, 2))},
                  {"user", "u" + std::to_string(random.below(300, i, 3))},
                  {"item", "i" + std::to_string(item)},
                  {"site", random.uniform53(i, 4) < 0.05 ? "" : "s" + std::to_string(random.below(5, i, 5))}};
    if (change) change(i, row);
    text += row["click"] + "," + row["price"] + "," + row["user"] + "," + row["item"] + "," + row["site"] + "\n";
  }
  return text;
}

/// Log of six days, the last one for evaluation, packed by gzip.
struct Log {
  std::map<std::string, std::string> train;
  std::string evaluate = day_text(6);

  Log() {
    for (Index day = 1; day <= 5; ++day) train[name(day)] = test::gzipped(day_text(day));
  }
  static std::string name(Index day) { return "day_" + std::to_string(day) + ".gz"; }
};

Settings settings_of(const std::string& folder, const std::string& output) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.columns = {{"click", ColumnKind::label, Transform::none, {"1"}, {"0"}},
                      {"price", ColumnKind::number, Transform::log1p},
                      {"user", ColumnKind::category},
                      {"item", ColumnKind::category},
                      {"site", ColumnKind::category}};
  settings.bad_rows = BadRows::skip;
  settings.train = {folder + "/day_[1-5]*.gz"};
  settings.evaluate = {folder + "/day_6.csv"};
  settings.output = output;
  return settings;
}

/// Writes the log of a fault and returns the findings as "severity kind: columns", or the error, the same on any ranks.
std::string verdict_on(const comm::Communicator& world, const std::string& name, const Log& log, bool strict = false) {
  const test::Folder folder(world);
  for (const auto& [file, bytes] : log.train) folder.write(file, bytes);
  folder.write("day_6.csv", log.evaluate);
  std::string first;
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& ranks) {
    Settings settings = settings_of(folder / "", folder / ("out" + ranks));
    settings.strict = strict;
    std::string text;
    try {
      for (const verdict::Finding& finding : preprocess::run(comm, settings).findings) {
        text += concat(text.empty() ? "" : "; ", verdict::name_of(finding.severity), " ", finding.kind);
        if (!finding.columns.empty()) text += ": " + join(finding.columns);
      }
    } catch (const Error& error) {
      text = error.what();
      comm.barrier();
      CHECK(
          (!std::filesystem::exists(folder / ("out" + ranks)) || std::filesystem::is_empty(folder / ("out" + ranks))));
    }
    if (ranks == "1") first = text;
    INFO(name << " on " << ranks << " ranks");
    if (world.rank() == 0) CHECK(text == first);
  });
  return first;
}

}  // namespace

TEST_CASE("verdict: a clean log has no finding, and each planted fault has its own") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const auto found = [&](const std::string& name, const std::function<void(Log&)>& plant) {
    Log log;
    plant(log);
    return verdict_on(world, name, log);
  };
  const auto check = [&](const std::string& name, const std::function<void(Log&)>& plant, const std::string& expected) {
    const std::string text = found(name, plant);
    INFO(name);
    if (world.rank() == 0) CHECK(text == expected);
  };
  const auto all_days = [](Log& log, const Change& change) {
    for (Index day = 1; day <= 5; ++day) log.train[Log::name(day)] = test::gzipped(day_text(day, change));
    log.evaluate = day_text(6, change);
  };
  const auto one_day = [](Log& log, const Change& change) {
    log.train[Log::name(3)] = test::gzipped(day_text(3, change));
  };

  check(
      "clean", [](Log&) {}, "");
  const std::string cut = found("truncated", [](Log& log) { log.train[Log::name(2)].resize(3000); });
  if (world.rank() == 0)
    CHECK(mentions(cut, "day_2.gz: the gzip file ends too early, at byte 3000, inside the member"));
  check(
      "concatenated",
      [](Log& log) {
        const std::string text = day_text(2);
        log.train[Log::name(2)] = test::gzipped(text.substr(0, 5000)) + test::gzipped(text.substr(5000));
      },
      "note concatenated_gzip");
  check(
      "Latin-1",
      [](Log& log) {
        log.train[Log::name(2)] = test::gzipped(day_text(2, [](Index i, LogRow& row) {
          if (i == 7) row["item"] += '\xf6';
          if (i == 8) row["item"] += "\xc3\xb6";
        }));
      },
      "warning not_utf8");
  check(
      "missing day", [](Log& log) { log.train.erase(Log::name(3)); }, "warning missing_file");
  check(
      "file twice", [](Log& log) { log.train[Log::name(4)] = log.train[Log::name(1)]; }, "error repeated_file");
  check(
      "half a file",
      [](Log& log) {
        std::string text = day_text(3);
        text.resize(text.find('\n', text.size() / 3) + 1);
        log.train[Log::name(3)] = test::gzipped(text);
      },
      "warning odd_row_count");
  check(
      "header in the middle",
      [](Log& log) {
        const std::string text = day_text(3), header = text.substr(0, text.find('\n') + 1);
        std::string mixed;
        for (std::size_t at = 0, line = 0; at < text.size(); ++line) {
          const std::size_t end = text.find('\n', at) + 1;
          if (line % 50 == 0) mixed += header;
          mixed += text.substr(at, end - at);
          at = end;
        }
        log.train[Log::name(3)] = test::gzipped(mixed);
      },
      "warning bad_rows");
  check(
      "clicks only",
      [&](Log& log) {
        one_day(log, [](Index i, LogRow& row) {
          if (i % 3 != 0) row["click"] = "1";
        });
      },
      "warning click_rate_drift");
  check(
      "a column lost", [&](Log& log) { one_day(log, [](Index, LogRow& row) { row["site"] = ""; }); },
      "warning missing_drift: site");
  check(
      "constant number", [&](Log& log) { all_days(log, [](Index, LogRow& row) { row["price"] = "7"; }); },
      "warning constant_column: price");
  check(
      "constant category", [&](Log& log) { all_days(log, [](Index, LogRow& row) { row["item"] = "i"; }); },
      "warning constant_column: item");
  check(
      "number that tells",
      [&](Log& log) {
        all_days(log, [](Index i, LogRow& row) {
          row["price"] = std::to_string((row["click"] == "1" ? 5000 : 100) + i % 70);
        });
      },
      "error leaking_column: price");
  check(
      "category that tells",
      [&](Log& log) {
        all_days(log, [](Index i, LogRow& row) {
          row["site"] = (row["click"] == "1" ? "paid" : "open") + std::to_string(i % 4);
        });
      },
      "error leaking_column: site");
  check(
      "evaluation on some training rows",
      [](Log& log) {
        const std::string text = day_text(2);
        log.evaluate += text.substr(text.find('\n') + 1, 4000);
      },
      "warning overlap");
  check(
      "evaluation on training rows", [](Log& log) { log.evaluate = day_text(2); }, "error overlap");
  check(
      "evaluation file among the training files", [](Log& log) { log.evaluate = log.train[Log::name(2)]; },
      "error repeated_file; error overlap");
}

TEST_CASE("verdict: preprocess.strict ends the run for a warning, and not for a note") {
  const comm::Communicator world(MPI_COMM_WORLD);
  Log log;
  log.train[Log::name(2)] = test::gzipped(day_text(2).substr(0, 5000)) + test::gzipped(day_text(2).substr(5000));
  const std::string note = verdict_on(world, "note", log, true);
  log.train.erase(Log::name(3));
  const std::string warning = verdict_on(world, "warning", log, true);
  if (world.rank() != 0) return;
  CHECK(note == "note concatenated_gzip");
  CHECK(warning ==
        "the data have 1 finding, so nothing was written; correct the raw files, or set preprocess.strict = false");
}
