// SPDX-License-Identifier: Apache-2.0
// Preprocessing of files with the vocabulary of an earlier dataset, on 1, 2 and 3 ranks of the world.
#include <filesystem>

#include "catch.hpp"
#include "errors.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include <tesserec/data/make_source.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

Settings table(const test::Folder& folder, const std::string& output) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.columns = {{"id", ColumnKind::key},
                      {"user", ColumnKind::category},
                      {"price", ColumnKind::number, Transform::standardise},
                      {"y", ColumnKind::label, Transform::none, {"1"}, {"0"}}};
  settings.output = folder / output;
  return settings;
}

/// Returns rows whose users are u0 to u`users - 1`.
std::string rows(Index users, Index first, bool labelled) {
  std::string text = labelled ? "id,user,price,y\n" : "price,id,user\n";
  for (Index i = first; i < first + 300; ++i) {
    const std::string id = "k" + std::to_string(i), user = "u" + std::to_string(i % users),
                      price = std::to_string(i % 17);
    text += labelled ? id + "," + user + "," + price + "," + std::to_string(i % 2) + "\n"
                     : price + "," + id + "," + user + "\n";
  }
  return text;
}

template <class T>
T attribute(const std::string& path, const std::string& name) {
  return store::File::open(path).attribute<T>("/", name);
}

}  // namespace

TEST_CASE("preprocess.vocabulary: gives the bytes that the dataset's own training files would") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("day1", rows(20, 0, true));
  folder.write("day2", rows(33, 7, true));
  folder.write("new", rows(25, 50, false));
  Settings first = table(folder, "first");
  first.train = {folder / "day1"};
  first.evaluate = {folder / "day2"};
  first.predict = {folder / "new"};
  preprocess::run(world, first);
  const std::string train = folder / "first/train.h5";
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    Settings settings = table(folder, name);
    settings.vocabulary = train;
    settings.evaluate = first.evaluate;
    settings.predict = first.predict;
    const PreprocessReport report = preprocess::run(comm, settings);
    CHECK(report.train.output.empty());
    CHECK(report.values.empty());
    for (const std::string file : {"/evaluate.h5", "/predict.h5"})
      CHECK(test::read_bytes(folder / (name + file)) == test::read_bytes(folder / ("first" + file)));
    comm.barrier();
    settings.train = {folder / "day2"};
    settings.evaluate = settings.predict = {};
    settings.extend = true;
    const PreprocessReport extended = preprocess::run(comm, settings);
    CHECK(extended.new_ids == std::vector<Index>{13});
  });
  for (int ranks = 2; ranks <= world.size() && world.rank() == 0; ++ranks)
    CHECK(test::read_bytes(folder / (std::to_string(ranks) + "/train.h5")) == test::read_bytes(folder / "1/train.h5"));

  // Tokens keep their ids, and new tokens follow.
  const auto old_file = store::File::open(train), new_file = store::File::open(folder / "1/train.h5");
  const auto tokens = old_file.read_all<std::uint8_t>("/vocabulary/user/tokens");
  auto more = new_file.read_all<std::uint8_t>("/vocabulary/user/tokens");
  auto offsets = new_file.read_all<Index>("/vocabulary/user/offsets");
  REQUIRE(offsets.size() == 35);
  REQUIRE(more.size() > tokens.size());
  more.resize(tokens.size());
  offsets.resize(22);
  CHECK(more == tokens);
  CHECK(offsets == old_file.read_all<Index>("/vocabulary/user/offsets"));
  CHECK(attribute<std::vector<std::string>>(folder / "1/train.h5", "vocabulary_extends") ==
        std::vector{attribute<std::string>(train, "vocabulary_digest")});
  CHECK(attribute<std::vector<std::string>>(folder / "1/train.h5", "transforms") ==
        attribute<std::vector<std::string>>(train, "transforms"));

  // An extension of an extension names both.
  Settings third = table(folder, "third");
  third.vocabulary = folder / "1/train.h5";
  third.train = {folder.write("day3", rows(60, 0, true))};
  third.extend = true;
  preprocess::run(world, third);
  CHECK(attribute<std::vector<std::string>>(folder / "third/train.h5", "vocabulary_extends").size() == 2);
}

TEST_CASE("preprocess.vocabulary: one that does not fit the columns is the same error on every rank") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = table(folder, "out");
  settings.train = {folder.write("day1", rows(20, 0, true))};
  preprocess::run(world, settings);
  settings.train = {};
  settings.predict = {folder.write("new", rows(20, 0, false))};
  const auto refusal = [&](const std::string& expected, const std::function<void(Settings&)>& change) {
    Settings changed = settings;
    change(changed);
    const std::string message = error_of([&] { preprocess::run(world, changed); });
    INFO(message);
    CHECK(mentions(message, expected));
    CHECK_FALSE(std::filesystem::exists(folder / "out/predict.h5"));
    world.barrier();
  };
  refusal("transform \"standardise\", not \"log1p\"", [](auto& s) { s.columns[2].transform = Transform::log1p; });
  refusal("transform \"standardise\", not \"standardise fill=1\"", [](auto& s) { s.fill_value = 1; });
  refusal("it has the additional feature \"user\"", [](auto& s) {
    s.columns[1].kind = ColumnKind::skip;
    s.columns[0].kind = ColumnKind::category;
  });
  refusal("its label values differ", [&](auto& s) {
    s.evaluate = {folder / "day1"};
    s.columns[3].positive = {"1", "2"};
  });
  refusal("holds no vocabulary", [&](auto& s) {
    Settings same = s;
    same.output = folder / "same";
    same.predict.clear();
    same.evaluate = {folder / "day1"};
    same.vocabulary = folder / "out/train.h5";
    preprocess::run(world, same);
    s.vocabulary = folder / "same/evaluate.h5";
  });
  refusal("values of user are \"separated by |\", but preprocess.column says \"separated by ;\"", [&](auto& s) {
    Settings bags = s;
    bags.columns[1].separator = "|";
    bags.output = folder / "bags";
    bags.predict.clear();
    bags.train = {folder / "day1"};
    preprocess::run(world, bags);
    s.columns[1].separator = ";";
    s.vocabulary = folder / "bags/train.h5";
  });
  refusal("preprocess.vocabulary: ", [&](auto& s) { s.vocabulary = folder / "new"; });
  refusal(folder / "none/train.h5 does not exist", [&](auto& s) { s.output = folder / "none"; });
  refusal("would be replaced", [&](auto& s) {
    s.train = {folder / "day1"};
    s.vocabulary = folder / "out/train.h5";
  });
  refusal("it lacks \"user\"", [&](auto& s) { s.predict = {folder.write("short", "price,id\n1,2\n")}; });
}

TEST_CASE("preprocess.predict: keeps keys and counts bad rows and training refuses the dataset") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = table(folder, "out");
  settings.train = {folder.write("day1", rows(20, 0, true))};
  std::string bad = rows(20, 0, false);
  bad += "x,late,u1\n";
  settings.predict = {folder.write("new", bad)};
  settings.bad_rows = BadRows::skip;
  const PreprocessReport report = preprocess::run(world, settings);
  REQUIRE(report.predict.bad_rows() == 1);
  const std::string path = folder / "out/predict.h5";
  for (const data::Use use : {data::Use::train, data::Use::evaluate}) {
    data::Settings files;
    files.train = files.evaluate = {path};
    CHECK(mentions(error_of([&] { data::make_source(files, use, data::Deal()); }), path + " has no labels"));
  }
  data::Settings files;
  files.predict = {path};
  const auto source = data::make_source(files, data::Use::predict, data::Deal());
  const data::SourceInfo& info = source->info();
  CHECK_FALSE(info.labelled);
  CHECK(info.left_out == 1);
  CHECK(info.skipped == std::vector<std::string>{folder / "new" + ":302: price: \"x\" is not a number"});
  REQUIRE(info.keys.size() == 1);
  REQUIRE(info.keys[0].bytes == 4);
  std::vector<char> keys(3 * 4);
  source->read_keys(0, {9, 12}, keys.data());
  CHECK(std::string(keys.begin(), keys.end()) == std::string("k9\0\0k10\0k11\0", 12));

  settings.predict.clear();
  settings.evaluate = {folder.write("half", "id,user,price,y\na,u1,1,1\nb,u1,1,\nc,u2,1\n")};
  const PreprocessReport half = preprocess::run(world, settings);
  CHECK(half.evaluate.files[0].unlabeled == 2);
  CHECK(mentions(join(summary(half), "\n"), "2 bad rows left out, 2 of them without a label"));
}

TEST_CASE("preprocess.vocabulary: the verdict names categories without a known value and times of another form") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = table(folder, "first");
  settings.columns.push_back({.name = "when", .kind = ColumnKind::time, .time = "iso", .parts = {"hour"}});
  settings.columns.push_back({.name = "shop", .kind = ColumnKind::category, .ids = IdForm::hashed, .max_rows = 9});
  const auto day = [&](const char* name, const char* user, const char* when) {
    std::string text = "id,user,price,y,when,shop\n";
    for (Index i = 0; i < 60; ++i)
      text += concat("k", i, ",", user, i % 6, ",", i % 7, ",", i % 2, ",", when, ",s", i % 5, "\n");
    return folder.write(name, text);
  };
  settings.train = {day("day1", "u", "2014-10-21")};
  preprocess::run(world, settings);
  settings.vocabulary = folder / "first/train.h5";
  settings.extend = true;
  const auto found = [&](const std::string& name) {
    settings.output = folder / name;
    std::string text;
    for (const verdict::Finding& finding : preprocess::run(world, settings).findings)
      if (finding.kind == "all_new_values" || finding.kind == "changed_time") text += finding.text + "\n";
    return text;
  };
  settings.train = {day("day2", "u", "2014-10-22")};
  CHECK(found("same").empty());
  settings.minimum_count = 20;  // No value gets an id, but those of the vocabulary are known.
  CHECK(found("rare").empty());
  settings.minimum_count = 1;
  settings.train = {day("day3", "U", "2014-10-23")};
  CHECK(mentions(found("upper"), "column user: none of its 6 values in the training files has an id in"));
  settings.train = {day("day4", "u", "14102409")};
  settings.columns.rbegin()[1].time = "epoch";
  CHECK(mentions(found("digits"), "column when: the deck reads its times as \"epoch\", but those of"));
  settings.columns.rbegin()[1].time = "yymmddhh";
  settings.train = {};
  settings.extend = false;
  settings.evaluate = {folder / "day4"};
  settings.max_unknown = 1;
  CHECK(mentions(found("evaluate"), "were read as \"iso\""));
}
