// SPDX-License-Identifier: Apache-2.0
// Quantiles: borders from the values of the training files, the same from any ranks and memory.
#include "src/preprocess/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "quantile_rows.hpp"
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/quantiles.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

using Borders = std::vector<double>;

/// Returns the borders by a definition of its own: of each quantile the nearer end of the run of equal values.
Borders sorted_borders(std::vector<double> values, Index quantiles) {
  std::sort(values.begin(), values.end());
  Borders borders(values);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  if (std::ssize(borders) <= quantiles) {
    if (borders.size() > 1) borders.erase(borders.begin());
    return borders;
  }
  borders.clear();
  for (Index q = 1; q < quantiles; ++q) {
    const Index place = std::ssize(values) * q / quantiles;
    Index first = place, next = place;
    while (first > 0 && values[std::size_t(first - 1)] == values[std::size_t(place)]) --first;
    while (next < std::ssize(values) && values[std::size_t(next)] == values[std::size_t(place)]) ++next;
    const Index border = next - place < place - first ? next : first;
    if (border > 0 && border < std::ssize(values)) borders.push_back(values[std::size_t(border)]);
  }
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

/// Returns the borders of a column of `values`, measured with `memory` bytes.
Borders found_borders(const comm::Communicator& comm, const test::Folder& folder, const std::vector<double>& values,
                      Index quantiles, Index memory) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(number_text(value));
  folder.write("log.csv", rows_of(texts));
  const Settings settings = numbered(quantiles, folder / "log.csv", folder / "out");
  if (comm.rank() == 0) std::filesystem::create_directories(settings.output);
  comm.barrier();
  const std::vector<RawFile> files = find_raw_files(comm, settings.train, "preprocess.train");
  const auto format = make_row_format(settings);
  const ScratchFolder scratch(comm, settings.output, job_key(settings, files), 0);
  find_borders(comm, *format, scratch, {files, "", settings.missing, {}, memory});
  CHECK(scratch.sealed("numbers-").empty());
  return format->layout().columns[1].buckets;
}

std::vector<double> drawn(Index count, const std::function<double(Index)>& draw) {
  std::vector<double> values;
  for (Index i = 0; i < count; ++i) values.push_back(draw(i));
  return values;
}

}  // namespace

TEST_CASE("find_borders: borders are those of the sorted values, from any ranks and memory") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const Random random(11, Purpose::test);
  const auto uniform = [&](Index i) { return double(random.below(std::uint64_t{1} << 53, i, 0)) * 0x1p-53 - 0.5; };
  const auto equal = [&](double mean) {
    return [&, mean](Index i) { return std::floor(mean * -std::log1p(uniform(i) - 0.5)); };
  };
  const std::vector<std::vector<double>> columns = {
      drawn(30000, uniform),                                                     // many different values
      drawn(20000, equal(3)),                                                    // ties everywhere
      drawn(9000, [&](Index i) { return i % 10 < 6 ? 0 : uniform(i) + 1; }),     // 60 % are the smallest value
      drawn(9000, [&](Index i) { return i % 10 < 7 ? 2 : uniform(i); }),         // 70 % are the largest value
      drawn(1000, [&](Index i) { return double(i % 5) - 2; }),                   // few different values
      drawn(50, [](Index) { return 4.0; }),                                      // a single one
      drawn(3, [](Index i) { return i == 0 ? 5.0 : 1.0; }),                      // fewer rows than quantiles
      drawn(4001, [&](Index i) { return i % 2000 == 0 ? double(i) : -1e-7; })};  // nearly all are equal
  for (const std::vector<double>& values : columns)
    for (const Index quantiles : {Index{2}, Index{3}, Index{7}, Index{1000}}) {
      const Borders expected = sorted_borders(values, quantiles);
      for (const Index memory : {Index{1}, Index{1} << 30}) {
        INFO(values.size() << " values, " << quantiles << " quantiles, " << memory << " bytes");
        REQUIRE(found_borders(world, folder, values, quantiles, memory) == expected);
      }
      CHECK_FALSE(expected.empty());
    }
}

TEST_CASE("preprocess: quantiles have equally many training rows, and the same bytes from any ranks and memory") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::vector<std::string> values;
  for (Index i = 0; i < 12000; ++i) {
    const Index number = i * 7919 % 12000;  // all different
    values.push_back(i % 12 == 5 ? "NA" : number_text(double(number) * 0.01 - 13));
  }
  folder.write("log.csv", rows_of(values));
  folder.write("later.csv", rows_of({"-1e9", "-13", "0", "1e9", "", "NaN"}));
  std::vector<std::string> folders;
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    for (const Index memory : {Index{0}, Index{1}}) {
      Settings settings = numbered(10, folder / "log.csv", folder / (name + (memory == 0 ? "" : "little")));
      settings.evaluate = {folder / "later.csv"};
      settings.memory = memory;
      const PreprocessReport report = preprocess::run(comm, settings);
      REQUIRE(report.ids == std::vector<Index>{11});
      CHECK(report.borders == texts_of(settings.output + "/train.h5", "borders"));
      CHECK(report.borders == texts_of(settings.output + "/evaluate.h5", "borders"));
      CHECK(report.borders[0].starts_with("10: "));
      const auto lines = summary(report);
      CHECK(std::any_of(lines.begin(), lines.end(), [](const auto& line) {
        return line.starts_with("quantiles of n: borders ") && !mentions(line, "instead");
      }));
    }
  });
  if (world.rank() != 0) return;
  for (int ranks = 1; ranks <= world.size(); ++ranks)
    for (const char* memory : {"", "little"})
      for (const char* file : {"/train.h5", "/evaluate.h5"})
        REQUIRE(test::read_bytes(folder / (std::to_string(ranks) + memory + file)) ==
                test::read_bytes(folder / (std::string("1") + file)));
  // 11000 rows have a number: 1100 in each bucket, and 1000 have none.
  std::map<int, Index> counts;
  for (const int id : store::File::open(folder / "1/train.h5").read_all<std::int32_t>("/sparse/ids")) ++counts[id];
  CHECK(counts[0] == 1000);
  for (int id = 1; id <= 10; ++id) CHECK(counts[id] == 1100);
  const auto later = store::File::open(folder / "1/evaluate.h5").read_all<std::int32_t>("/sparse/ids");
  REQUIRE(later.size() == 6);
  CHECK(later[0] == later[1]);
  CHECK(later[0] > 0);
  CHECK(later[3] > 0);
  CHECK(later[4] == 0);
  CHECK(later[5] == 0);
}

TEST_CASE("preprocess: fewer values than quantiles are said, and numbers that are none stop") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::vector<std::string> values;
  for (Index i = 0; i < 300; ++i) values.push_back(std::to_string(i % 3));
  Settings settings = numbered(10, folder.write("few.csv", rows_of(values)), folder / "out");
  const auto lines = summary(preprocess::run(world, settings));
  CHECK(std::count(lines.begin(), lines.end(),
                   "quantiles of n: borders 1 2; 3 buckets instead of 10, because all rows of a value are in one") ==
        1);
  settings.train = {folder.write("single.csv", rows_of(std::vector<std::string>(9, "7")))};
  settings.columns[1].quantiles = 2;
  const auto single = summary(preprocess::run(world, settings));
  CHECK(std::count(single.begin(), single.end(),
                   "quantiles of n: borders 7; 1 bucket instead of 2, because all rows of a value are in one") == 1);
  settings.columns[1].quantiles = 10;
  const auto error_with = [&](const std::string& value) {
    values[7] = value;
    settings.train = {folder.write("odd.csv", rows_of(values))};
    return error_of([&] { preprocess::run(world, settings); });
  };
  CHECK(mentions(error_with("inf"), "odd.csv:8: n: \"inf\" is not a finite number"));
  CHECK(mentions(error_with("-nan"), "odd.csv:8: n: \"-nan\" is not a finite number"));
  CHECK(mentions(error_with("1e39"), "odd.csv:8: n: \"1e39\" is out of the range"));
  settings.train = {folder.write("none.csv", rows_of({"NA", "", "NA"}))};
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }),
                 "preprocess.column n: quantiles needs numbers, but no training row has one: 3 rows lack the value; "
                 "remove the column"));
  settings.train = {folder.write("comma.csv", rows_of({"NA", "\"1.234,5\"", "NA"}))};
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }), "comma.csv:2: n: \"1.234,5\" is not a number"));
  settings.bad_rows = BadRows::skip;
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }),
                 "no training row has one: 2 rows lack the value and 1 bad row left out; set preprocess.bad_rows"));
  settings.train = {folder.write("bad.csv", rows_of({"x", "y"}))};
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }), "all rows of all files are bad"));
}

TEST_CASE("preprocess: only training rows of a split decide quantiles, joined numbers and crosses have them, too") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text, items;
  for (Index i = 0; i < 1000; ++i) text += concat(i % 2, ",", i % 20, ",", 86400 * (i < 600 ? 1 : 2), "\n");
  for (Index i = 0; i < 20; ++i) items += concat(i, ",", i < 10 ? i : 100 + i, "\n");
  folder.write("items.csv", items);
  Settings settings = numbered(4, folder.write("log.csv", text), folder / "out");
  Column item{"item", ColumnKind::category}, price = settings.columns[1], when{"when", ColumnKind::time};
  Column both{"both", ColumnKind::category};
  price.name = "price";
  both.cross = {"item", "price"};
  when.parts = {};
  settings.columns = {settings.columns[0], item, when, price, both};
  settings.joins = {{folder / "items.csv", {"item"}, {}, {"price"}, {"item", "price"}}};
  const PreprocessReport all = preprocess::run(world, settings);
  CHECK(all.features == std::vector<std::string>{"item", "price", "both"});
  CHECK(all.borders == std::vector<std::string>{"", "4: 5 110 115", ""});
  CHECK(all.ids == std::vector<Index>{21, 5, 21});

  text.clear();  // items 10 to 19 come only on the last day
  for (Index i = 0; i < 1000; ++i)
    text += concat(i % 2, ",", i % 10 + (i < 600 ? 0 : 10), ",", 86400 * (i < 600 ? 1 : 2), "\n");
  settings.train = {folder.write("log.csv", text)};
  settings.split = {.by = SplitBy::day, .column = "", .time = "when"};
  const PreprocessReport split = preprocess::run(world, settings);
  CHECK(split.train.rows == 600);
  CHECK(split.borders[1] == "4: 2 5 7");
}

TEST_CASE("find_borders: a bad row that stops the work ends the reading, and leaves the borders to no one") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const Settings settings = numbered(2, folder.write("log.csv", rows_of({"1", "x", "2", "3"})), folder / "out");
  if (world.rank() == 0) std::filesystem::create_directories(settings.output);
  world.barrier();
  const std::vector<RawFile> files = find_raw_files(world, settings.train, "preprocess.train");
  const ScratchFolder scratch(world, settings.output, job_key(settings, files), 0);
  for (const BadRows bad_rows : {BadRows::stop, BadRows::skip}) {
    const auto format = make_row_format(settings);
    find_borders(world, *format, scratch, {files, "", settings.missing, {}, 1, bad_rows});
    CHECK(format->layout().borders == std::vector<std::string>{bad_rows == BadRows::stop ? "" : "2: 2"});
    CHECK(scratch.sealed("numbers-").empty());
  }
}

TEST_CASE("find_borders: a later start takes the sealed borders without a reading") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::vector<std::string> values;
  for (Index i = 0; i < 800; ++i) values.push_back(std::to_string(i));
  const Settings settings = numbered(8, folder.write("log.csv", rows_of(values)), folder / "out");
  if (world.rank() == 0) std::filesystem::create_directories(settings.output);
  world.barrier();
  const std::vector<RawFile> files = find_raw_files(world, settings.train, "preprocess.train"), none;
  const std::string key = job_key(settings, files);
  for (const bool first : {true, false}) {
    world.barrier();  // until all ranks have left the folder of the first start
    ScratchFolder scratch(world, settings.output, key, 0);
    const auto format = make_row_format(settings);
    find_borders(world, *format, scratch, {first ? files : none, "", settings.missing, {}, 1});
    CHECK(format->layout().borders == std::vector<std::string>{"8: 100 200 300 400 500 600 700"});
    scratch.keep();
    world.barrier();
  }
  Settings others = settings;
  others.columns[1].quantiles = 9;
  CHECK(job_key(others, files) != key);
}
