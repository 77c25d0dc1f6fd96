// SPDX-License-Identifier: Apache-2.0
// Sequences: the last items of a user before a row; the sorter of records behind them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include "src/preprocess/job_key.hpp"
#include "src/preprocess/record_sorter.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/preprocess/block_fault.hpp>
#include <tesserec/store/hdf5.hpp>
#include <tesserec/store/parted_file.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

constexpr Index rows = 6000;

/// A row of the log, whose times repeat and are not in the order of the rows.
struct Event {
  std::string user, item;
  Index time = 0;
};

Event event_of(Index row) {
  Event event{row % 50 == 3 ? "" : concat("u", row * row % 31), row % 40 == 9 ? "" : concat("i", row * 7 % 23),
              row * 7919 % rows / 6};
  return event;
}

std::string text_of(Index begin, Index end) {
  std::string text = "user,item,when,label,row\n";
  for (Index i = begin; i < end; ++i) {
    const Event event = event_of(i);
    text += concat(event.user, ",", event.item, ",", i % 70 == 11 ? "" : std::to_string(event.time), ",", i % 3 == 0,
                   ",r", i, "\n");
  }
  return text;
}

Settings settings_of(const std::string& output) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.output = output;
  Column label{"label", ColumnKind::label}, item{"item", ColumnKind::category}, when{"when", ColumnKind::time};
  label.positive = {"1"};
  label.negative = {"0"};
  item.ids = IdForm::hashed;
  item.max_rows = 100;
  when.parts = {"hour"};
  settings.columns = {{"user", ColumnKind::key}, item, when, label, {"row", ColumnKind::skip}};
  settings.sequences = {{"past", "user", "item", "when", 4}};
  return settings;
}

/// Returns the ids of the items of each row: the last `length` ones of its user before it, in time and then row order.
std::vector<std::vector<std::string>> expected(Index length) {
  std::map<std::string, std::vector<std::pair<std::pair<Index, Index>, std::string>>> users;
  for (Index i = 0; i < rows; ++i)
    if (const Event event = event_of(i); !event.user.empty() && i % 70 != 11)
      users[event.user].push_back({{event.time, i}, event.item});
  std::vector<std::vector<std::string>> all(rows);
  for (auto& [user, events] : users) {
    std::sort(events.begin(), events.end());
    std::vector<std::string> past;
    for (const auto& [place, item] : events) {
      all[std::size_t(place.second)] = {past.end() - std::min(length, std::ssize(past)), past.end()};
      if (!item.empty()) past.push_back(item);
    }
  }
  return all;
}

/// Returns the bags of a feature in a dataset.
std::vector<std::vector<std::int32_t>> bags_of(const std::string& path, const std::string& feature) {
  const store::PartedFile file = store::PartedFile::open(path);
  const auto offsets = file.read_all<Index>("/sparse/" + feature + "/offsets");
  const auto values = file.read_all<std::int32_t>("/sparse/" + feature + "/values");
  std::vector<std::vector<std::int32_t>> bags;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    bags.emplace_back(values.begin() + offsets[i], values.begin() + offsets[i + 1]);
  return bags;
}

/// Compares the sequences of the rows [first, first + n) with the expected ones, by the ids of the items.
void check_bags(const std::string& path, Index first, Index length) {
  const auto past = bags_of(path, "past"), items = bags_of(path, "item");
  const auto wanted = expected(length);
  std::map<std::string, std::int32_t> ids;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (const std::string item = event_of(first + Index(i)).item; !item.empty()) ids[item] = items[i].at(0);
  bool same = true;
  for (std::size_t i = 0; i < past.size(); ++i) {
    std::vector<std::int32_t> bag;
    for (const std::string& item : wanted[std::size_t(first) + i]) bag.push_back(ids.at(item));
    same = same && bag == past[i];
  }
  CHECK(same);
}

}  // namespace

TEST_CASE("RecordSorter: sorts in memory and by scratch files alike and removes the files") {
  const comm::Communicator self = comm::Communicator::self();
  const test::Folder folder(self);
  std::vector<std::string> keys;
  for (Index i = 0; i < 3000; ++i) keys.push_back(concat("k", i * 7919 % 3000 + 10000));
  for (const Index memory : {Index{1} << 30, Index{20000}, Index{1}}) {
    if (memory == 1) keys.resize(40);
    std::vector<std::string> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    {
      RecordSorter sorter(folder / "scratch", memory);
      for (const std::string& key : keys) sorter.add(key, "of " + key);
      sorter.sort();
      for (int time = 0; time < 2; ++time) {
        std::vector<std::string> found;
        bool right = true;
        for (SortedRecord record; sorter.next(record);) {
          found.emplace_back(record.key);
          right = right && record.value == "of " + found.back();
        }
        CHECK(right);
        CHECK(found == sorted);
        sorter.rewind();
      }
      CHECK((sorter.scratch_bytes() > 0) == (memory < Index{1} << 30));
    }
    CHECK(std::filesystem::is_empty(folder / ""));
  }
}

TEST_CASE("find_sequences: rows have the last items of their user before them from any ranks and memory") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("log.csv", text_of(0, rows));
  for (const Index memory : {Index{1} << 30, Index{20000}})
    for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
      Settings settings = settings_of(folder / (name + (memory < 100000 ? "scratch" : "")));
      settings.train = {folder / "log.csv"};
      settings.sequences[0].memory = memory;
      const PreprocessReport report = run(comm, settings);
      CHECK(report.features == std::vector<std::string>{"item", "when_hour", "past"});
      Index without = 0;
      for (Index i = 0; i < rows; ++i) without += i % 50 == 3 || i % 70 == 11;
      CHECK(report.unsequenced == std::vector<Index>{without});
    });
  if (world.rank() != 0) return;
  check_bags(folder / "1/train.h5", 0, 4);
  for (int ranks = 1; ranks <= world.size(); ++ranks)
    for (const std::string suffix : {"", "scratch"})
      CHECK((test::read_bytes(folder / (std::to_string(ranks) + suffix + "/train.h5")) ==
             test::read_bytes(folder / "1/train.h5")));
  for (const auto& entry : std::filesystem::directory_iterator(folder / "1scratch"))
    CHECK(entry.path().filename() == "train.h5");
}

TEST_CASE("find_sequences: go on from training files to evaluation files and rows to predict") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = settings_of(folder / "out");
  settings.train = {folder.write("a.csv", text_of(0, 2500))};
  settings.evaluate = {folder.write("b.csv", text_of(2500, 5000))};
  settings.predict = {folder.write("c.csv", text_of(5000, rows))};
  run(world, settings);
  if (world.rank() == 0) {
    check_bags(folder / "out/train.h5", 0, 4);
    check_bags(folder / "out/evaluate.h5", 2500, 4);
    check_bags(folder / "out/predict.h5", 5000, 4);
  }
  world.barrier();
  const auto together = bags_of(folder / "out/predict.h5", "past");
  settings.history = {settings.train[0], settings.evaluate[0]};
  settings.train.clear();
  settings.evaluate.clear();
  run(world, settings);
  CHECK((bags_of(folder / "out/predict.h5", "past") == together));
}

TEST_CASE("find_sequences: of a split log have rows of both sides") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = settings_of(folder / "out");
  settings.train = {folder.write("log.csv", text_of(0, rows))};
  run(world, settings);
  const auto whole = bags_of(folder / "out/train.h5", "past");
  settings.output = folder / "split";
  settings.split = {SplitBy::hash, "", "", 0.4};
  run(world, settings);
  std::vector<std::vector<std::int32_t>> both = bags_of(folder / "split/train.h5", "past");
  for (auto& bag : bags_of(folder / "split/evaluate.h5", "past")) both.push_back(std::move(bag));
  auto sorted = whole;
  std::sort(sorted.begin(), sorted.end());
  std::sort(both.begin(), both.end());
  CHECK((both == sorted));
}

TEST_CASE("find_sequences: keeps its scratch files apart from those of other jobs of the folder") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = settings_of(folder / "out");
  settings.train = {folder.write("log.csv", text_of(0, rows))};
  settings.sequences[0].memory = 20000;
  // A job without a lock would write here.
  const std::string foreign = folder / concat("out/.sequence-", world.rank(), "-events-0.tmp");
  if (world.rank() == 0) std::filesystem::create_directories(folder / "out");
  world.barrier();
  std::ofstream(foreign) << "records of another log";
  run(world, settings);
  CHECK(test::read_bytes(foreign) == "records of another log");
  if (world.rank() == 0) check_bags(folder / "out/train.h5", 0, 4);
}

TEST_CASE("job_key: of a job with sequences depends on all of its files, and on what they were before they were read") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = settings_of(folder / "out");
  settings.history = {folder.write("history.csv", text_of(0, 2000))};
  settings.train = {folder.write("log.csv", text_of(2000, 4000))};
  const auto files = find_raw_files(world, settings.train, "preprocess.train");
  auto history = find_raw_files(world, settings.history, "preprocess.history");
  const std::string key = job_key(settings, files, history);
  world.barrier();
  folder.write("history.csv", text_of(0, 2001));
  CHECK(job_key(settings, files, history) == key);
  history = find_raw_files(world, settings.history, "preprocess.history");
  CHECK(job_key(settings, files, history) != key);
}

TEST_CASE("RecordSorter: merges more scratch files than may be open") {
  const comm::Communicator self = comm::Communicator::self();
  const test::Folder folder(self);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{std::min<rlim_t>(before.rlim_max, 256), before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  {
    RecordSorter sorter(folder / "scratch", 1);  // a file for each record
    for (Index i = 0; i < 3000; ++i) sorter.add(concat("k", i * 7919 % 3000 + 10000), std::string(std::size_t(i), 'x'));
    sorter.sort();
    Index found = 0;
    bool right = true;
    for (SortedRecord record; sorter.next(record); ++found)
      right = right && record.key == concat("k", found + 10000) && Index(record.value.size()) * 7919 % 3000 == found;
    CHECK(right);
    CHECK(found == 3000);
    for (const auto& entry : std::filesystem::directory_iterator(folder / "")) std::filesystem::remove(entry);
    CHECK(mentions(error_of([&] { sorter.rewind(); }), ".tmp: cannot read it back: No such file"));
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(std::filesystem::is_empty(folder / ""));
}

TEST_CASE("find_sequences: names the key that does not fit") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("log.csv", text_of(0, 100));
  const auto refusal = [&](const auto& change) {
    Settings settings = settings_of(folder / "out");
    settings.train = {folder / "log.csv"};
    change(settings);
    return error_of([&] { run(world, settings); });
  };
  CHECK(mentions(refusal([](Settings& s) { s.sequences[0].item = "itm"; }), "preprocess.sequence.item names \"itm\""));
  CHECK(mentions(refusal([](Settings& s) { s.sequences[0].user = "usr"; }),
                 "preprocess.sequence.past.user: there is no"));
  CHECK(mentions(refusal([](Settings& s) { s.sequences[0].time = "user"; }), "is not of kind = \"time\""));
  CHECK(mentions(refusal([](Settings& s) { s.sequences[0].name = "item"; }), "two categories are called \"item\""));
}
