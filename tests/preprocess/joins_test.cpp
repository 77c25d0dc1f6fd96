// SPDX-License-Identifier: Apache-2.0
// Side tables that bring columns to the rows of raw files.
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include "raw/parsed.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

constexpr Index rows = 8000, items = 40;

/// Returns a log of item, shop, label and user. Item 39 is in no side table.
std::string log_text() {
  std::string text = "item,shop,label,user\n";
  for (Index i = 0; i < rows; ++i)
    text += concat(i * i % items, i % 2 ? ",north," : ",\"south\",", i % 5 == 0, ",u", i % 7, "\n");
  return text;
}

/// Returns a side table with a title, quoted genres and a year, in another order than the items' numbers.
std::string items_text() {
  std::string text = "title;year;movie;genres\n";
  for (Index i = items - 2; i >= 0; --i)
    text += concat("\"Film ", i, "; part 1\"; ", 1990 + i % 3, ";", i, ";\"drama|g", i % 4, "\"\n");
  return text;
}

/// Returns the settings of a log with genres and year of the items, and a region of each shop and user.
Settings settings_of(const test::Folder& folder) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.header = true;
  settings.train = {folder / "log.csv"};
  Column label{"label", ColumnKind::label}, genres{"genres", ColumnKind::category}, year{"year", ColumnKind::number};
  label.positive = {"1"};
  label.negative = {"0"};
  genres.separator = "|";
  settings.columns = {
      genres, {"item", ColumnKind::category}, {"region", ColumnKind::category}, {"shop", ColumnKind::key}, label,
      year,   {"user", ColumnKind::category}};
  settings.joins = {{folder / "items.csv", {"item"}, {"movie"}, {"genres", "year"}, {}, ";"},
                    {folder / "regions.csv", {"shop", "user"}, {}, {"region"}, {"shop", "user", "region"}}};
  return settings;
}

void write_files(const test::Folder& folder) {
  folder.write("log.csv", log_text());
  folder.write("items.csv", items_text());
  std::string regions;
  for (Index u = 0; u < 7; ++u) regions += concat("north,u", u, ",r", u % 2, "\nsouth,u", u, ",s", u % 3, "\n");
  folder.write("regions.csv", regions);
}

/// Returns why the settings, after a change, do not fit.
std::string refusal(const std::function<void(Settings&, const test::Folder&)>& change) {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  write_files(folder);
  Settings settings = settings_of(folder);
  settings.output = folder / "out";
  change(settings, folder);
  return error_of([&] { run(world, settings); });
}

}  // namespace

TEST_CASE("preprocess: keys of several columns are found by each column's text, whatever its characters") {
  const comm::Communicator self = comm::Communicator::self();
  const test::Folder folder(self);
  Settings settings = settings_of(folder);
  folder.write("log.csv",
               "item,shop,label,user\na\x1F"
               "b,c,1,u\na,b\x1F"
               "c,0,u\na,a,1,u\n");
  folder.write("pairs.csv",
               "x,y,region,twin\na\x1F"
               "b,c,r0,\na,b\x1F"
               "c,r1,\na,a,r2,t\n");
  settings.columns = {{"item", ColumnKind::key}, {"shop", ColumnKind::key},        {"user", ColumnKind::key},
                      settings.columns[4],       {"region", ColumnKind::category}, {"twin", ColumnKind::category}};
  settings.joins = {{folder / "pairs.csv", {"item", "shop"}, {"x", "y"}, {"region"}},
                    {folder / "pairs.csv", {"item", "item"}, {"x", "y"}, {"twin"}}};
  settings.output = folder / "out";
  run(self, settings);
  const auto ids = store::File::open(folder / "out/train.h5").read_all<std::int32_t>("/sparse/ids");
  CHECK(ids == std::vector<std::int32_t>{1, 0, 2, 1, 3, 1});
}

TEST_CASE("preprocess: joins bring the columns of side tables as if the files had them") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  write_files(folder);
  // The same rows with their joined columns written out.
  std::string wide = "item,shop,label,user,genres,year,region\n";
  for (Index i = 0; i < rows; ++i) {
    const Index item = i * i % items, user = i % 7;
    wide += concat(item, i % 2 ? ",north," : ",south,", i % 5 == 0, ",u", user, ",");
    wide += item == 39 ? "," : concat("drama|g", item % 4, ",", 1990 + item % 3);
    wide += concat(i % 2 ? ",r" : ",s", user % (i % 2 ? 2 : 3), "\n");
  }
  folder.write("wide.csv", wide);
  PreprocessReport report;
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    Settings settings = settings_of(folder);
    settings.output = folder / name;
    report = run(comm, settings);
  });
  if (world.rank() != 0) return;
  Settings settings = settings_of(folder);
  settings.joins.clear();
  settings.train = {folder / "wide.csv"};
  settings.output = folder / "wide";
  std::rotate(settings.columns.begin(), settings.columns.begin() + 1, settings.columns.end());
  settings.columns = {settings.columns[0], settings.columns[2], settings.columns[3], settings.columns[5],
                      settings.columns[6], settings.columns[4], settings.columns[1]};
  run(comm::Communicator::self(), settings);
  const auto joined = store::File::open(folder / "1/train.h5"), plain = store::File::open(folder / "wide/train.h5");
  CHECK(joined.attribute<std::vector<std::string>>("/", "features") ==
        std::vector<std::string>{"item", "user", "genres", "region"});
  CHECK(joined.attribute<std::string>("/", "vocabulary_digest") ==
        plain.attribute<std::string>("/", "vocabulary_digest"));
  CHECK(joined.read_all<float>("/dense") == plain.read_all<float>("/dense"));
  for (const std::string feature : {"item", "user", "genres", "region"})
    for (const std::string part : {"/offsets", "/values"}) {
      const std::string path = "/sparse/" + feature + part;
      if (part == "/offsets")
        CHECK(joined.read_all<Index>(path) == plain.read_all<Index>(path));
      else
        CHECK(joined.read_all<std::int32_t>(path) == plain.read_all<std::int32_t>(path));
    }
  for (int ranks = 2; ranks <= world.size(); ++ranks)
    CHECK(test::read_bytes(folder / (std::to_string(ranks) + "/train.h5")) == test::read_bytes(folder / "1/train.h5"));
}

TEST_CASE("preprocess: counts the rows that a side table lacks and reads files without a header") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  write_files(folder);
  Settings settings = settings_of(folder);
  settings.output = folder / "out";
  const PreprocessReport report = run(world, settings);
  Index lacking = 0;
  for (Index i = 0; i < rows; ++i) lacking += i * i % items == 39;
  CHECK(lacking == 0);  // 39 is no square modulo 40.
  CHECK(report.joins.size() == 2);
  CHECK(report.joins[0].rows == items - 1);
  folder.write("items.csv", "title;year;movie;genres\na;1990;0;drama\nb;1991;1;x|y\n");
  folder.write("log.csv", "0,north,1,u1\n1,south,0,u2\n7,south,0,u9\n8,north,1,u1\n");
  settings.header = false;
  settings.columns = {settings.columns[1], settings.columns[3], settings.columns[4], settings.columns[6],
                      settings.columns[0], settings.columns[2], settings.columns[5]};
  const PreprocessReport small = run(world, settings);
  const std::size_t columns = small.dense_features.size() + small.features.size();
  CHECK(small.train.column(columns).unknown == 2);
  CHECK(small.train.column(columns + 1).unknown == 1);
  CHECK(small.train.files[0].unknown[small.features.size()] == "\"7\"");
  std::string text;
  for (const std::string& line : summary(small)) text += line + "\n";
  CHECK(mentions(text, "items.csv on item: 2 rows"));
  CHECK(mentions(text, "rows without one there: train 2 (50 %), for example \"7\""));
  CHECK(mentions(text, "regions.csv on shop, user: 14 rows"));
}

TEST_CASE("preprocess: a row of a side table whose fields are all empty is a row") {
  const comm::Communicator self = comm::Communicator::self();
  const test::Folder folder(self);
  Settings settings = settings_of(folder);
  folder.write("log.csv", "item,label\n,1\na,0\nb,1\n");
  folder.write("items.tsv", "item\tregion\n\t\n\na\tr\n");
  settings.columns = {{"item", ColumnKind::key}, settings.columns[4], {"region", ColumnKind::category}};
  settings.joins = {{folder / "items.tsv", {"item"}, {}, {"region"}, {}, "\\t"}};
  settings.missing = {"?"};
  settings.output = folder / "out";
  CHECK(run(self, settings).joins[0].rows == 2);
  const auto ids = store::File::open(folder / "out/train.h5").read_all<std::int32_t>("/sparse/ids");
  CHECK(ids == std::vector<std::int32_t>{1, 2, 0});
}

TEST_CASE("preprocess: names file and line and key of a join that does not fit") {
  using S = Settings;
  using F = test::Folder;
  CHECK(mentions(refusal([](S&, const F& f) { f.write("items.csv", "movie;genres;year\n1;a;1\n2;b;2\n1;a;1\n"); }),
                 "items.csv:4: the key \"1\" of item is already that of"));
  CHECK(mentions(refusal([](S&, const F& f) { f.write("items.csv", "movie;genres;year\n1;a;1\n\n2;b\n"); }),
                 "items.csv:4: 2 fields, 3 expected"));
  CHECK(mentions(refusal([](S&, const F& f) { f.write("items.csv", "movie;genres;year\n1;a;1\n\n4;b;abc\n"); }),
                 "year: \"abc\" is not a number, from the side table at "));
  CHECK(mentions(refusal([](S&, const F& f) { f.write("items.csv", "movie;genres;year\n1;a;1\n\n4;b;abc\n"); }),
                 "items.csv:4"));
  CHECK(mentions(refusal([](S& s, const F&) { s.missing.clear(); }), "preprocess.missing is empty, but a row that"));
  CHECK(mentions(refusal([](S&, const F& f) { f.write("items.csv", "movie;genre;year\n1;a;1\n"); }),
                 "items.csv:1: the side table has no column \"genres\"; its columns are \"movie\""));
  CHECK(
      mentions(refusal([](S& s, const F&) { s.joins[0].memory = 500; }), "more memory than preprocess.join.0.memory"));
  CHECK(mentions(refusal([](S& s, const F&) { s.joins[0].file += "x"; }), "preprocess.join.0.file: "));
  CHECK(mentions(refusal([](S& s, const F&) { s.joins[0].on = {"itm"}; }), "preprocess.join.0.on names \"itm\""));
  CHECK(mentions(refusal([](S& s, const F&) { s.joins[0].on = {"label"}; }),
                 "preprocess.join.0.on has \"label\", but rows to score have no label"));
  CHECK(mentions(refusal([](S& s, const F&) { s.joins[0].columns = {"title"}; }), "there is no [[preprocess.column]]"));
  CHECK(mentions(refusal([](S& s, const F&) { s.joins[1].columns = {"year"}; }), "which another join brings"));
  CHECK(mentions(refusal([](S& s, const F&) { s.joins[1].columns = {"label"}; }), "a label, a weight and a cross"));
  CHECK(mentions(refusal([](S&, const F& f) { f.write("log.csv", "item,shop,year,label,user\n0,north,9,1,u1\n"); }),
                 "log.csv:1: the file has a column \"year\", which a [[preprocess.join]] brings, too; rename one"));
  CHECK(mentions(refusal([](S& s, const F&) {
                   s.joins[0].file_on = {"a", "b"};
                 }),
                 "file_on has 2 names, but on has 1"));
  CHECK(mentions(refusal([](S&, const F& f) { f.write("items.csv", "movie;genres;year\ni1;a;1\ni2;b;2\n"); }),
                 "8000 of 8000 rows have no row in"));
}

TEST_CASE("preprocess: a side table may be several files") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  write_files(folder);
  Settings settings = settings_of(folder);
  settings.output = folder / "whole";
  run(world, settings);
  const std::string text = items_text();
  const std::size_t cut = text.find('\n', text.size() / 2) + 1;
  folder.write("part_1.csv", text.substr(0, cut));
  folder.write("part_2.csv", text.substr(0, text.find('\n') + 1) + text.substr(cut));
  settings.joins[0].file = folder / "part_?.csv";
  settings.output = folder / "parts";
  const PreprocessReport report = run(world, settings);
  CHECK(report.joins[0].rows == items - 1);
  if (world.rank() == 0) {
    const auto whole = store::File::open(folder / "whole/train.h5"),
               parts = store::File::open(folder / "parts/train.h5");
    CHECK(parts.read_all<float>("/dense") == whole.read_all<float>("/dense"));
    CHECK(parts.read_all<Index>("/sparse/genres/values") == whole.read_all<Index>("/sparse/genres/values"));
  }
  folder.write("part_2.csv", text.substr(0, text.find('\n', text.find('\n') + 1) + 1));  // its row is in part_1, too
  const std::string message = error_of([&] { run(world, settings); });
  CHECK(mentions(message, "part_2.csv:2: the key"));
  CHECK(mentions(message, "is already that of"));
  CHECK(mentions(message, "part_1.csv:2; a side table has one row for each key"));
  folder.write("part_2.csv", "genres;year\na;1\n");
  CHECK(mentions(error_of([&] { run(world, settings); }), "part_2.csv:1: the side table has no column \"movie\""));
}

TEST_CASE("preprocess: joins the rows to predict") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  write_files(folder);
  Settings settings = settings_of(folder);
  settings.output = folder / "out";
  run(world, settings);
  settings.train.clear();
  settings.predict = {folder.write("new.csv", "shop,user,item\nnorth,u1,3\nnorth,u1,39\n")};
  const PreprocessReport report = run(world, settings);
  CHECK(report.predict.column(report.dense_features.size() + report.features.size()).unknown == 1);
  if (world.rank() == 0)
    CHECK(store::File::open(folder / "out/predict.h5").read_all<float>("/dense") == std::vector<float>{1990, 0});
}

TEST_CASE("preprocess: a joined text keeps its quoted spaces whatever quotes the log has") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("log.csv", "item,label\n 1 ,1\n\"1\",0\n 2,1\n\"2\",0\n");
  folder.write("items.csv", "item,genre\n1,\" drama \"\n2, drama \n");
  folder.write("genres.csv", "genre,mood\n\" drama \",sad\ndrama,glad\n");
  Settings settings = settings_of(folder);
  Column label = settings.columns[4];
  settings.columns = {
      {"item", ColumnKind::category}, label, {"genre", ColumnKind::category}, {"mood", ColumnKind::category}};
  settings.joins = {{folder / "items.csv", {"item"}, {}, {"genre"}}, {folder / "genres.csv", {"genre"}, {}, {"mood"}}};
  settings.output = folder / "out";
  const PreprocessReport report = run(world, settings);
  CHECK(report.values == std::vector<Index>{2, 2, 2});
  if (world.rank() != 0) return;
  const auto ids = store::File::open(folder / "out/train.h5").read_all<std::int32_t>("/sparse/ids");
  REQUIRE(ids.size() == 12);
  for (std::size_t row : {0, 2})
    for (std::size_t column = 0; column < 3; ++column) CHECK(ids[3 * row + column] == ids[3 * row + 3 + column]);
  CHECK(ids[1] != ids[7]);
  CHECK(ids[2] != ids[8]);
}
