// SPDX-License-Identifier: Apache-2.0
// PreprocessReport of preprocessing on each column, on 1, 2 and 3 ranks of the world.
#include <filesystem>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

Settings table(const std::vector<Column>& columns) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.columns = columns;
  settings.columns.push_back({"y", ColumnKind::label, Transform::none, {"1"}, {"0"}});
  return settings;
}

Column number(const std::string& name, Transform transform) { return {name, ColumnKind::number, transform, {}, {}}; }
Column category(const std::string& name) { return {name, ColumnKind::category, Transform::none, {}, {}}; }

using Counts = std::vector<Index>;
Counts of(const ColumnCounts& c) { return {c.missing, c.unknown, c.clipped, c.large}; }

/// Returns the lines, each repeated the given number of times.
std::string rows(const std::vector<std::pair<std::string, Index>>& lines) {
  std::string text;
  for (const auto& [line, times] : lines)
    for (Index i = 0; i < times; ++i) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("preprocess: counts missing and unknown and clipped and large values by file and column") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("train.csv", rows({{"1,1,a,0", 5000}, {"-2,,b,1", 3000}, {"NA,1e9,,0", 1000}, {"nan,-3e9,rare,1", 1}}));
  folder.write("one.csv", rows({{"1,1,a,0", 50}, {"-1,1,new,1", 30}, {"NULL,1,rare,1", 10}, {"\\N,2e9,None,1", 10}}));
  folder.write("two.csv", rows({{"1,,b,0", 10}}));
  const auto settings = [&](const std::string& name) {
    Settings s = table({number("log", Transform::log1p), number("plain", Transform::none), category("c")});
    s.train = {folder / "train.csv"};
    s.evaluate = {folder / "one.csv", folder / "two.csv"};
    s.minimum_count = 2;
    s.output = folder / name;
    return s;
  };
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    const PreprocessReport report = preprocess::run(comm, settings(name));
    const auto& train = report.train.files[0].columns;
    REQUIRE(train.size() == 3);
    CHECK(of(train[0]) == Counts{1001, 0, 3000, 0});
    CHECK(of(train[1]) == Counts{3000, 0, 0, 1001});
    CHECK(of(train[2]) == Counts{1000, 1, 0, 0});
    CHECK(report.values == Counts{3});
    CHECK(report.ids == Counts{3});
    const auto &one = report.evaluate.files[0], &two = report.evaluate.files[1];
    CHECK(of(one.columns[0]) == Counts{20, 0, 30, 0});
    CHECK(of(one.columns[1]) == Counts{0, 0, 0, 10});
    CHECK(of(one.columns[2]) == Counts{10, 40, 0, 0});
    CHECK(one.unknown == std::vector<std::string>{"\"new\""});
    CHECK(of(two.columns[1]) == Counts{10, 0, 0, 0});
    CHECK(two.unknown == std::vector<std::string>{""});
    CHECK(of(report.evaluate.column(2)) == Counts{10, 40, 0, 0});
    CHECK(one.columns[2].unknown_share() == 40.0 / 90);

    const std::string summary_text = join(summary(report), "\n");
    const std::string warning_text = join(report.findings, "\n", &verdict::Finding::text);
    INFO(summary_text << warning_text);
    CHECK(mentions(summary_text, "44.4 %"));
    REQUIRE(report.train.top[0].size() == 2);
    CHECK(report.train.top[0][0].value == "\"a\"");
    CHECK(report.train.top[0][0].count == 5000);
    CHECK(report.train.top[0][1].count == 3000);
    CHECK(mentions(summary_text, "   \"a\" 55.5 %, \"b\" 33.3 %"));
    CHECK(mentions(warning_text, folder / "train.csv: column plain: 1001 numbers of magnitude 1e9 or more"));
    CHECK(mentions(warning_text,
                   folder / "two.csv: column plain is missing in 100 % of the rows, but in 33.3 % of those of " +
                       (folder / "train.csv")));
    CHECK(verdict::count_from(report.findings, verdict::Severity::warning) == 5);
    comm.barrier();
    const store::File file = store::File::open(folder / (name + "/evaluate.h5"));
    CHECK(file.attribute<Counts>("/", "missing_numbers") == Counts{20, 10});
    CHECK(file.attribute<Counts>("/", "clipped_numbers") == Counts{30, 0});
    CHECK(file.attribute<Counts>("/", "missing_values") == Counts{10});
    CHECK(file.attribute<Counts>("/", "unknown_values") == Counts{40});
  });
  if (world.rank() == 0)
    for (int ranks = 2; ranks <= world.size(); ++ranks)
      CHECK(test::read_bytes(folder / (std::to_string(ranks) + "/evaluate.h5")) ==
            test::read_bytes(folder / "1/evaluate.h5"));
}

TEST_CASE("preprocess: writes nothing if an evaluation file has more unknown values than max_unknown") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("train.csv", rows({{"12,0", 20}, {"13,1", 10}}));
  folder.write("good.csv", rows({{"12,0", 1}, {"12.0,0", 9}}));
  folder.write("bad.csv", rows({{",1", 70}, {"12,0", 1}, {"12.0,0", 28}}));
  const auto message = [&](const comm::Communicator& comm, double max_unknown, bool trained = false) {
    Settings s = table({category("user")});
    s.train = {folder / "train.csv"};
    s.evaluate = {folder / "good.csv", folder / (trained ? "train.csv" : "bad.csv")};
    s.output = folder / "out";
    s.max_unknown = max_unknown;
    return error_of([&] { preprocess::run(comm, s); });
  };
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string&) {
    const std::string text = message(comm, 0.9);  // 0.9 of good.csv, 28 / 29 of bad.csv
    INFO(text);
    CHECK(mentions(text, folder / "bad.csv: column user: 28 of 29 values (96.55 %) have no id, for example \"12.0\", "
                                  "but the training files have \"12\"; write values the same way, or set "
                                  "preprocess.max_unknown = 1.0 (now 0.9)"));
    CHECK(mentions(message(comm, 0.0), "good.csv"));
    comm.barrier();
    CHECK(std::filesystem::is_empty(folder / "out"));
    comm.barrier();
  });
  CHECK(message(world, 1.0).empty());
  CHECK(message(world, 0.9, true).empty());
}

TEST_CASE("missing_indicator: tells a missing number from 0 and fill_value replaces it") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("t.csv", rows({{"0,2,,a,1", 1}, {"?,4,5,a,0", 1}, {"7,,7,a,0", 1}}));
  Settings settings = table(
      {number("x", Transform::none), number("s", Transform::standardise), number("f", Transform::none), category("c")});
  settings.train = {folder / "t.csv"};
  settings.output = folder / "out";
  settings.missing_indicator = true;
  settings.columns[1].fill_value = 5;
  settings.columns[2].missing_indicator = false;
  settings.fill_value = -1;
  const PreprocessReport report = preprocess::run(world, settings);
  using Texts = std::vector<std::string>;
  CHECK(report.dense_features == Texts{"x", "x_missing", "s", "s_missing", "f"});
  CHECK(report.transforms == Texts{"none fill=-1", "missing_indicator", "standardise mean=3 sd=1 fill=5",
                                   "missing_indicator", "none fill=-1"});
  CHECK(of(report.train.column(0)) == Counts{1, 0, 0, 0});
  const store::File file = store::File::open(folder / "out/train.h5");
  CHECK(file.read_all<float>("/dense") == std::vector<float>{0, 0, -1, 0, -1,  //
                                                             -1, 1, 1, 0, 5,   //
                                                             7, 0, 2, 1, 7});
  CHECK(file.attribute<Texts>("/", "dense_features") == report.dense_features);
  world.barrier();

  const auto refusal = [&](const auto& change) {
    Settings s = settings;
    change(s);
    return error_of([&] { preprocess::run(world, s); });
  };
  CHECK(mentions(refusal([](auto& s) { s.columns[3].name = "x_missing"; }), "x_missing"));
  CHECK(mentions(refusal([](auto& s) { s.columns[2].name = "s_missing"; }),
                 "two dense features are called \"s_missing\""));
  CHECK(mentions(refusal([](auto& s) { s.columns[3].fill_value = 1; }), "applies only to numbers"));
  CHECK(mentions(refusal([](auto& s) { s.columns[0].transform = Transform::log1p; }), "which log1p treats as 0"));
  CHECK(mentions(refusal([](auto& s) { s.columns[0].fill_value = 1e39; }), "32-bit float"));
}

TEST_CASE("missing_indicator: adds dense features for the Criteo format too") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const std::string row = "1\t\t-3\t5" + std::string(36, '\t');
  folder.write("t.txt", row + "\n" + row + "\n");
  Settings settings = criteo({folder / "t.txt"}, folder / "out");
  settings.missing_indicator = true;
  const PreprocessReport report = preprocess::run(world, settings);
  CHECK(report.dense_features.size() == 26);
  CHECK(report.dense_features[25] == "I13_missing");
  CHECK(of(report.train.column(0)) == Counts{2, 0, 0, 0});
  CHECK(of(report.train.column(2)) == Counts{0, 0, 2, 0});
  const auto dense = store::File::open(folder / "out/train.h5").read_all<float>("/dense");
  CHECK(std::vector<float>(dense.begin(), dense.begin() + 4) == std::vector<float>{0, 1, 0, 0});
  world.barrier();
}
