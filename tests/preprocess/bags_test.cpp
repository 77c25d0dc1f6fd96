// SPDX-License-Identifier: Apache-2.0
// Several values in a field and hashed ids: as rows, and in whole runs on 1, 2 and 3 ranks of the world.
#include <map>
#include <set>

#include "catch.hpp"
#include "errors.hpp"
#include "raw/parsed.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include "src/preprocess/checked_format.hpp"
#include "src/preprocess/counted_hashes.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/feature_form.hpp>
#include <tesserec/store/hdf5.hpp>
#include <tesserec/store/parted_file.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

Column category(const std::string& name, const std::string& separator, IdForm ids = IdForm::vocabulary) {
  Column column{name, ColumnKind::category};
  column.separator = separator;
  column.ids = ids;
  return column;
}

Settings table(const std::vector<Column>& columns) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.columns = columns;
  settings.columns.insert(settings.columns.begin(), {"y", ColumnKind::label, Transform::none, {"1"}, {"0"}});
  return settings;
}

/// Returns the values of a row's features, "a b; c", with their weights if there are any.
std::string values_of(const std::string& line, const Settings& settings) {
  Row row;
  if (std::string reason = parsed(*make_row_format(settings), line, row); !reason.empty()) return reason;
  std::string out;
  for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f) {
    for (; v < row.ends[f]; ++v)
      out +=
          concat(row.tokens[v].value_or("-"), row.value_weights.empty() ? "" : concat(":", row.value_weights[v]), " ");
    out += row.cut[f] > 0 ? concat("cut ", row.cut[f], "; ") : "; ";
  }
  return out;
}

template <class Change>
std::string refusal(const Change& change) {
  Settings settings = table({category("c", "|")});
  change(settings.columns[1]);
  return error_of([&] { make_row_format(settings); });
}

/// A feature of a dataset.
struct Bags {
  Bags(const std::string& path, const std::string& feature) {
    const store::PartedFile file = store::PartedFile::open(path);
    const std::string group = "/sparse/" + feature;
    offsets = file.read_all<std::int64_t>(group + "/offsets");
    values = file.read_all<std::int64_t>(group + "/values");
    if (file.index().exists(group + "/weights")) weights = file.read_all<float>(group + "/weights");
  }
  std::vector<std::int64_t> offsets, values;
  std::vector<float> weights;
};

}  // namespace

TEST_CASE("make_row_format: a field has several values with weights") {
  Settings one = table({category("c", "|"), category("d", "")});
  CHECK(values_of("1,a|b|a,x", one) == "a b a ; x ; ");
  CHECK(values_of("1, a | b||NA|c| ,NA", one) == "a b c ; - ; ");
  CHECK(values_of("1,,x", one) == "; x ; ");
  CHECK(values_of("1,NULL,x", one) == "; x ; ");
  CHECK(values_of("1,\"a,b|\"\"c\"\"\",x", one) == "a,b \"c\" ; x ; ");
  one.columns[1].max_values = 2;
  CHECK(values_of("1,a|NA|b|c|NA|d,x", one) == "a b cut 2; x ; ");
  one.columns[1].separator = ",";
  CHECK(values_of("1,\"a,b\",x", one) == "a b ; x ; ");
  Settings weighted = table({category("c", "|"), category("d", "", IdForm::hashed)});
  weighted.columns[1].weighted = true;
  CHECK(values_of("1,a:0.5|b|u:v:-2e1,x", weighted) == "a:0.5 b:1 u:v:-20 ; x:1 ; ");
  CHECK(values_of("1,a,NA", weighted) == "a:1 ; ; ");
  CHECK(values_of("1,NA:0.5|jazz:1|:0.5|rock :2,x", weighted) == "jazz:1 rock:2 ; x:1 ; ");
  for (const std::string wrong : {"a:", "a:x", "a:1x", "a:nan", "a:2e6"})
    CHECK(mentions(values_of("1," + wrong + ",x", weighted), "c: \"" + wrong + "\" has no valid weight"));
}

TEST_CASE("make_row_format: keys of several values and hashed ids must fit") {
  CHECK(refusal([](Column&) {}) == "");
  CHECK(mentions(refusal([](Column& c) { c.kind = ColumnKind::number; }), "c: separator applies only to categories"));
  CHECK(mentions(refusal([](Column& c) { c.separator = "::"; }), "separator is \"::\"; give one character"));
  CHECK(mentions(refusal([](Column& c) { c.separator = "\""; }), "separator cannot be a quote"));
  CHECK(mentions(refusal([](Column& c) {
                   c.separator.clear();
                   c.weighted = true;
                 }),
                 "weighted applies only to several"));
  CHECK(mentions(refusal([](Column& c) {
                   c.separator.clear();
                   c.max_values = 3;
                 }),
                 "max_values applies only to"));
  CHECK(mentions(refusal([](Column& c) {
                   c.separator = ":";
                   c.weighted = true;
                 }),
                 "stands before a weight"));
  CHECK(mentions(refusal([](Column& c) { c.max_rows = 9; }), "max_rows applies only to hashed ids"));
  CHECK(mentions(refusal([](Column& c) {
                   c.ids = IdForm::hashed;
                   c.max_rows = 1;
                 }),
                 "max_rows is 1; give 2 to"));
  Settings comma = table({category("c", ",")});
  comma.quotes = false;
  CHECK(mentions(error_of([&] { make_row_format(comma); }), "c: separator is also preprocess.delimiter"));
}

TEST_CASE("hashed_id: is XXH3 of the text and never 0 in rows") {
  CHECK(hashed_id("a", 0) == Index(0xe6c632b61e964e1fULL));
  std::map<Index, std::set<std::string>> of_id;
  TokenCounts hashes;
  for (int i = 0; i < 40; ++i) {
    const std::string text = "t" + std::to_string(i % 30);
    of_id[hashed_id(text, 11)].insert(text);
    add_hash(text, hashes);
  }
  Index shared = 0;
  for (const auto& [id, texts] : of_id) shared += texts.size() > 1 ? std::ssize(texts) : 0;
  CHECK(of_id.begin()->first >= 1);
  CHECK(of_id.rbegin()->first <= 10);
  CHECK(shared > 30 - std::ssize(of_id));
  CHECK(collisions(hashes, 11) == shared);
}

TEST_CASE("preprocess: bags and hashed ids give the same bytes from any ranks and what the rules say") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const Random random(3, Purpose::test);
  constexpr Index rows = 40000;
  std::string text;
  std::map<std::string, Index> counts;
  std::vector<std::vector<std::string>> tags(rows);
  std::vector<std::string> users(rows);
  Index cut = 0, cut_rows = 0;
  for (Index i = 0; i < rows; ++i) {
    std::string field;
    const auto size = Index(random.below(6, i, 0));
    for (Index j = 0; j < size; ++j) {
      const std::string tag = "t" + std::to_string(random.below(1 + random.below(50, i, 10 + j), i, 20 + j));
      field += (j == 0 ? "" : "|") + tag;
      if (j < 4) tags[i].push_back(tag);
      if (j < 4) ++counts[tag];
    }
    cut += std::max(size - 4, Index{0});
    cut_rows += size > 4;
    users[i] = i % 10 == 0 ? "" : "u" + std::to_string(random.below(900, i, 1));
    text += concat(i % 3 == 0 ? "1," : "0,", field, ",", users[i], ",", users[i], ",", i % 7, "\n");
  }
  folder.write("log.csv", text);
  std::vector<Column> columns = {category("tags", "|"), category("user", "", IdForm::hashed),
                                 category("bucket", "", IdForm::hashed), category("plain", "")};
  columns[0].max_values = 4;
  columns[2].max_rows = 500;
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    Settings settings = table(columns);
    settings.train = settings.evaluate = {folder / "log.csv"};
    settings.output = folder / name;
    const PreprocessReport report = preprocess::run(comm, settings);
    CHECK(report.train.column(0).cut == cut);
    CHECK(report.train.column(0).clipped == cut_rows);
    CHECK(report.train.column(1).missing == rows / 10);
    CHECK(report.train.column(2).unknown == 0);
    CHECK(report.ids == std::vector<Index>{std::ssize(counts) + 1, data::any_id, 500, 8});
    CHECK(report.values == std::vector<Index>{std::ssize(counts), 0, 900, 7});
    CHECK(mentions(join(summary(report), "\n"),
                   concat("bucket: ", report.collisions[2], " of 900 values share their row")));
    CHECK(mentions(join(report.findings, "\n", &verdict::Finding::text),
                   concat("column tags: max_values cut ", cut, " values of ", cut_rows)));
    Settings divided = settings;
    divided.evaluate.clear();
    divided.split = {SplitBy::hash, "", "", 0.5};
    divided.output = folder / (name + "split");
    const std::string findings = join(preprocess::run(comm, divided).findings, "\n", &verdict::Finding::text);
    CHECK(mentions(findings, "log.csv: column tags: max_values cut "));
    CHECK(mentions(findings, "log.csv (rows to evaluate): column tags: max_values cut "));
    settings.part_bytes = 100000;
    settings.output = folder / (name + "parts");
    preprocess::run(comm, settings);
    settings.vocabulary = folder / (name + "/train.h5");
    settings.train.clear();
    settings.output = folder / (name + "again");
    preprocess::run(comm, settings);
  });
  if (world.rank() != 0) return;
  for (int ranks = 2; ranks <= world.size(); ++ranks)
    for (const std::string file : {"/train.h5", "/evaluate.h5", "parts/train.h5"})
      CHECK(test::read_bytes(folder / (std::to_string(ranks) + file)) == test::read_bytes(folder / ("1" + file)));
  for (const std::string& path :
       {folder / "1/train.h5", folder / "1parts/evaluate.h5", folder / "1again/evaluate.h5"}) {
    std::vector<std::pair<Index, std::string>> order;
    for (const auto& [tag, count] : counts) order.emplace_back(-count, tag);
    std::sort(order.begin(), order.end());
    std::map<std::string, Index> id;
    for (const auto& [count, tag] : order) id.emplace(tag, std::ssize(id) + 1);
    const Bags tag(path, "tags"), user(path, "user"), bucket(path, "bucket"), plain(path, "plain");
    Index at = 0, user_at = 0;
    bool same = tag.offsets.size() == rows + 1 && plain.values.size() == rows;
    for (Index i = 0; i < rows && same; ++i) {
      same = tag.offsets[i] == at && user.offsets[i] == user_at && bucket.offsets[i] == i;
      for (const std::string& text : tags[i]) same = same && tag.values[at++] == id.at(text);
      const bool missing = users[i].empty();
      if (!missing) same = same && user.values[user_at++] == hashed_id(users[i], 0);
      same = same && bucket.values[i] == (missing ? 0 : hashed_id(users[i], 500));
    }
    INFO(path);
    CHECK(same);
    CHECK(tag.offsets.back() == at);
    CHECK(std::ssize(user.values) == user_at);
    CHECK(store::File::open(path).attribute<std::vector<std::int64_t>>("/", "rows")[1] == data::any_id);
  }
}

TEST_CASE("preprocess: hashed ids of a data set must fit the columns") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("log.csv", "1,a\n0,b\n");
  Settings settings = table({category("c", "|", IdForm::hashed)});
  settings.columns[1].max_rows = 9;
  settings.columns[1].weighted = true;
  settings.train = {folder / "log.csv"};
  settings.output = folder / "one";
  preprocess::run(world, settings);
  if (world.rank() == 0) CHECK(Bags(folder / "one/train.h5", "c").weights == std::vector<float>{1, 1});
  world.barrier();
  Settings longer = settings;
  longer.vocabulary = folder / "one/train.h5";
  longer.extend = true;
  longer.output = folder / "longer";
  const PreprocessReport report = preprocess::run(world, longer);
  CHECK(report.new_ids == std::vector<Index>{0});
  CHECK_FALSE(mentions(join(summary(report), "\n"), "0 new ids, from"));
  settings.evaluate = settings.train;
  settings.train.clear();
  settings.columns[1].max_rows = 8;
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }),
                 "ids of c are \"hashed rows=9\", but preprocess.column says \"hashed rows=8\""));
}
