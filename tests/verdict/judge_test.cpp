// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/verdict/judge.hpp>

using namespace tesserec;
using namespace tesserec::verdict;

namespace {

const ColumnNames columns{.dense = {"price", "price_missing"}, .indicator = {false, true}, .features = {"user"}};

FileFacts good_file(const std::string& path) {
  return {.path = path,
          .content = "digest of " + path,
          .rows = 10000,
          .bad_rows = 3,
          .positives = 2500,
          .gzip_members = 1,
          .missing = {100, 0, 50}};
}

/// Returns a set of four good files of 10,000 rows.
SetFacts good_set(const std::string& name) {
  SetFacts set{.name = name};
  for (const char* day : {"1", "2", "3", "4"}) set.files.push_back(good_file(name + "/day_" + day + ".gz"));
  set.ranges.resize(3);
  for (ValueRange& range : set.ranges) {
    range.widen(0);
    range.widen(5);
  }
  set.limit = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < 200; ++i)
    set.rows.push_back({.digest = 10 * i + (name == "train" ? 0 : 5),
                        .labels = {i % 4 == 0 ? 0 : 1, i % 4 == 0 ? 1 : 0},
                        .dense = {float(i % 13), 0},
                        .ids = {Index(i % 11)},
                        .bag_ends = {1}});
  return set;
}

/// Returns the findings as "severity kind" texts, after a change of good data.
template <class Change>
std::vector<std::string> kinds_after(const Change& change) {
  SetFacts train = good_set("train"), evaluate = good_set("evaluate");
  change(train, evaluate);
  std::vector<std::string> kinds;
  for (const Finding& finding : judge({&train, &evaluate}, columns))
    kinds.push_back(concat(name_of(finding.severity), " ", finding.kind));
  return kinds;
}

using Kinds = std::vector<std::string>;

std::string missing(const std::vector<std::string>& paths) {
  const MissingNames found = missing_names(paths);
  return concat(found.count, ": ", join(found.names));
}

}  // namespace

TEST_CASE("judge: good data have no finding") {
  REQUIRE(kinds_after([](SetFacts&, SetFacts&) {}) == Kinds{});
  REQUIRE(judge({}, columns).empty());
  REQUIRE(lines({}) == std::vector<std::string>{"verdict: nothing odd was found"});
}

TEST_CASE("judge: rows that all have weight 0 count for nothing") {
  const auto weightless = [](SetFacts& set, std::size_t files) {
    for (std::size_t f = 0; f < files; ++f) set.files[f].weightless = set.files[f].rows;
  };
  REQUIRE(kinds_after([&](SetFacts& train, SetFacts&) { weightless(train, 4); }) == Kinds{"error zero_weights"});
  REQUIRE(kinds_after([&](SetFacts&, SetFacts& evaluate) { weightless(evaluate, 4); }) == Kinds{"error zero_weights"});
  REQUIRE(kinds_after([&](SetFacts& train, SetFacts&) { weightless(train, 2); }) ==
          Kinds{"warning zero_weights", "warning zero_weights"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files[2].weightless = 9999; }) == Kinds{});
  SetFacts train = good_set("train");
  train.weight = "w";
  weightless(train, 4);
  REQUIRE(
      judge({&train}, columns).front().text ==
      "train: the weight w is 0 in all 40000 rows, so nothing can be learned from them; check the column and its unit");
}

TEST_CASE("judge: files that are odd beside the others") {
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files.erase(train.files.begin() + 2); }) ==
          Kinds{"warning missing_file"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files[3].content = train.files[0].content; }) ==
          Kinds{"error repeated_file"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts& evaluate) {
            evaluate.files[0].content = train.files[0].content;
          }) == Kinds{"error repeated_file"});
  SetFacts train = good_set("train"), evaluate = good_set("evaluate");
  evaluate.files[0] = train.files[0];
  REQUIRE(judge({&train, &evaluate}, columns).front().text ==
          "train/day_1.gz is a file of both train and evaluate, so its rows count twice; take it from one of them");
  const auto of_predict = [](SetFacts&, SetFacts& evaluate) {
    evaluate = {.name = "predict", .labelled = false, .files = evaluate.files};
  };
  // Rows to score may be those of another set, but not the same ones twice.
  REQUIRE(kinds_after([&](SetFacts& train, SetFacts& evaluate) {
            of_predict(train, evaluate);
            evaluate.files[0].content = train.files[0].content;
          }) == Kinds{});
  REQUIRE(kinds_after([&](SetFacts& train, SetFacts& evaluate) {
            of_predict(train, evaluate);
            evaluate.files[0].content = evaluate.files[1].content;
          }) == Kinds{"error repeated_file"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files[1].gzip_members = 2; }) ==
          Kinds{"note concatenated_gzip"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files[1].not_utf8 = 1; }) == Kinds{"warning not_utf8"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files[1].bad_rows = 150; }) == Kinds{"warning bad_rows"});
  const auto rows = [](std::size_t file, Index rows) {
    return [=](SetFacts& train, SetFacts&) {
      const Index before = train.files[file].rows;
      train.files[file].rows = rows;
      train.files[file].positives = train.files[file].positives * rows / before;
      for (Index& n : train.files[file].missing) n = n * rows / before;
    };
  };
  REQUIRE(kinds_after(rows(1, 4900)) == Kinds{"warning odd_row_count"});
  REQUIRE(kinds_after(rows(1, 5100)) == Kinds{});
  REQUIRE(kinds_after(rows(1, 20100)) == Kinds{"warning odd_row_count"});
  REQUIRE(kinds_after(rows(3, 2000)) == Kinds{"note odd_row_count"});
}

TEST_CASE("judge: click rates and missing shares that drift") {
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files[2].positives = 4500; }) ==
          Kinds{"warning click_rate_drift"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files[2].positives = 3500; }) == Kinds{});
  REQUIRE(kinds_after([](SetFacts&, SetFacts& evaluate) { evaluate.files[2].positives = 900; }) ==
          Kinds{"warning click_rate_drift"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files[2].missing[2] = 2500; }) ==
          Kinds{"warning missing_drift"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.files[2].missing[2] = 1500; }) == Kinds{});
  REQUIRE(kinds_after([](SetFacts&, SetFacts& evaluate) { evaluate.files[1].missing[0] = 10000; }) ==
          Kinds{"warning missing_drift"});
  // Few rows: the same shares may be chance.
  REQUIRE(kinds_after([](SetFacts& train, SetFacts& evaluate) {
            for (SetFacts* set : {&train, &evaluate})
              for (FileFacts& file : set->files) {
                file.rows = 10;
                file.bad_rows = 0;
                file.positives = 2;
                file.missing = {0, 0, 0};
              }
            train.files[2].positives = 5;
            train.files[2].missing[2] = 3;
          }) == Kinds{});
}

TEST_CASE("judge: columns that teach nothing, or too much") {
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.ranges[2].low = 5; }) == Kinds{"warning constant_column"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) { train.ranges[1].low = 5; }) == Kinds{});  // an indicator
  SetFacts rare = good_set("train");
  rare.ranges[2].low = rare.ranges[2].high = 0;
  REQUIRE(lines(judge({&rare}, columns)).back().find("has id 0, of missing and rare values, in all") !=
          std::string::npos);
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) {
            for (SampledRow& row : train.rows) row.dense[0] = float(row.labels[1]);
          }) == Kinds{"error leaking_column"});
  REQUIRE(kinds_after([](SetFacts& train, SetFacts&) {
            for (SampledRow& row : train.rows) row.dense[0] = float(row.labels[1]);
            train.labelled = false;
          }) == Kinds{});
}

TEST_CASE("judge: a label of one value") {
  const auto ones_are = [](Index ones) {
    return kinds_after([=](SetFacts& train, SetFacts& evaluate) {
      for (SetFacts* set : {&train, &evaluate})
        for (FileFacts& file : set->files) file.positives = ones;
    });
  };
  REQUIRE(ones_are(0) == Kinds{"warning constant_label", "warning constant_label"});
  REQUIRE(ones_are(10000) == Kinds{"warning constant_label", "warning constant_label"});
  SetFacts train = good_set("train");
  train.label = "buy";
  for (FileFacts& file : train.files) file.unlabelled = file.rows - file.positives;
  const std::string text = "the label buy is 1 in all 10000 rows of train that have it, so nothing can be learned";
  REQUIRE(join(lines(judge_label({&train}, columns))).find(text) != std::string::npos);
  REQUIRE(judge_label({&train}, columns).front().columns == std::vector<std::string>{"buy"});
  for (FileFacts& file : train.files) {
    file.unlabelled = file.rows;
    file.positives = 0;
  }
  const std::vector<Finding> none = judge_label({&train}, columns);
  REQUIRE(none.size() == 1);
  REQUIRE(none.front().kind == "missing_label");
  REQUIRE(none.front().columns == std::vector<std::string>{"buy"});
  REQUIRE(join(lines(none)).find("no row of train has the label buy, so nothing can be learned") != std::string::npos);
}

TEST_CASE("judge_label: click rates and leaks of one of several labels") {
  SetFacts train = good_set("train"), evaluate = good_set("evaluate");
  train.label = evaluate.label = "buy";
  const auto found = [&] { return lines(judge_label({&train, &evaluate}, columns)); };
  CHECK(judge_label({&train, &evaluate}, columns).empty());
  for (SampledRow& row : train.rows) row.dense[0] = float(row.labels[1]);
  CHECK(mentions(found().back(), "tells the label buy by itself"));
  train = good_set("train");
  train.label = "buy";
  for (FileFacts& file : train.files) file.unlabelled = 9 * file.rows / 10, file.positives /= 10;
  for (FileFacts& file : evaluate.files) file.unlabelled = 9 * file.rows / 10, file.positives /= 10;
  CHECK(judge_label({&train, &evaluate}, columns).empty());
  evaluate.files[0].unlabelled = 0;  // the same clicks among ten times the rows
  CHECK(mentions(found().back(), "of the labels buy are 1"));
}

TEST_CASE("judge: rows of evaluation that training has, beyond chance") {
  const auto overlap = [](std::size_t rows, bool repeated) {
    return [=](SetFacts& train, SetFacts& evaluate) {
      for (std::size_t r = 0; r < rows; ++r) evaluate.rows[r].digest = train.rows[r].digest;
      for (SampledRow& row : train.rows) row.labels[0] += repeated ? 1 : 0;
    };
  };
  REQUIRE(kinds_after(overlap(9, false)) == Kinds{});
  REQUIRE(kinds_after(overlap(30, false)) == Kinds{"warning overlap"});
  REQUIRE(kinds_after(overlap(150, false)) == Kinds{"error overlap"});
  REQUIRE(kinds_after(overlap(150, true)) == Kinds{});
  // Beyond the limit of a sample its rows are not known.
  REQUIRE(kinds_after([&](SetFacts& train, SetFacts& evaluate) {
            overlap(150, false)(train, evaluate);
            train.limit = 100;
          }) == Kinds{});
}

TEST_CASE("missing_names: gaps in numbers and dates, and names that do not count") {
  REQUIRE(missing({"day_0", "day_1", "day_2"}) == "0: ");
  REQUIRE(missing({"day_0", "day_2"}) == "0: ");
  REQUIRE(missing({"day_0", "day_1", "day_3", "day_5"}) == "2: day_2, day_4");
  REQUIRE(missing({"a/day_09.gz", "a/day_08.gz", "a/day_11.gz"}) == "1: a/day_10.gz");
  REQUIRE(missing({"2024-02-27.csv", "2024-02-28.csv", "2024-03-01.csv"}) == "1: 2024-02-29.csv");
  REQUIRE(missing({"x/2023/12/30/a", "x/2023/12/31/a", "x/2024/01/02/a"}) == "1: x/2024/01/01/a");
  REQUIRE(missing({"log20241231", "log20250101", "log20250103"}) == "1: log20250102");
  REQUIRE(missing({"log20241231", "log20250101", "log20250102"}) == "0: ");
  REQUIRE(missing({"h1696118400", "h1696122000", "h1696129200"}) == "1: h1696125600");  // steps of an hour
  REQUIRE(missing({"part-8371", "part-22", "part-990125"}) == "0: ");
  REQUIRE(missing({"a1_b2", "a2_b3", "a4_b9"}) == "0: ");
  REQUIRE(missing({"user1.csv", "user2.csv", "item4.csv"}) == "0: ");
  REQUIRE(missing({}) == "0: ");
}

TEST_CASE("lines: the gravest findings first, and few of them") {
  std::vector<Finding> findings(30, Finding{.severity = Severity::note, .kind = "k", .text = "small"});
  findings.push_back({.severity = Severity::error, .kind = "k", .text = "large"});
  const std::vector<std::string> text = lines(findings);
  REQUIRE(text.front() == "verdict: 1 error, 0 warnings, 30 notes");
  REQUIRE(text[1] == "  error   large");
  REQUIRE(text.size() == 22);
  REQUIRE(text.back() == "  and 11 more, which --json has");
  REQUIRE(count_from(findings, Severity::warning) == 1);
  REQUIRE(json_of({findings.back()}).text() ==
          R"([{"severity": "error", "kind": "k", "text": "large", "columns": [], "files": [], "figures": {}}])");
}
