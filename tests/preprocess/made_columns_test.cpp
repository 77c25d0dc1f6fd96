// SPDX-License-Identifier: Apache-2.0
// Columns made from others: buckets, parts of times, crosses, labels by a threshold.
#include <algorithm>
#include <utility>

#include "catch.hpp"
#include "errors.hpp"
#include "raw/parsed.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include "src/preprocess/checked_format.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/core/utc.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/times.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

/// Columns rating (label from 4 on), age (buckets), when (time), user and a cross of user and hour.
Settings ratings() {
  Settings settings;
  settings.format = RawFormat::table;
  Column rating{"rating", ColumnKind::label}, age{"age", ColumnKind::category}, when{"when", ColumnKind::time};
  Column user{"user", ColumnKind::category}, both{"both", ColumnKind::category};
  rating.threshold = 4;
  age.buckets = {18, 30.5};
  when.time = "iso";
  both.cross = {"user", "when_hour"};
  settings.columns = {both, rating, age, when, user};
  return settings;
}

template <class Change>
std::string refusal(const Change& change) {
  Settings settings = ratings();
  change(settings.columns);
  return error_of([&] { make_row_format(settings); });
}

/// Returns the label and the values of a row, or why it is bad.
std::string read(const std::string& line, const Settings& settings = ratings()) {
  Row row;
  if (std::string reason = parsed(*make_row_format(settings), line, row); !reason.empty()) return reason;
  std::string out = std::to_string(row.label);
  for (const auto& token : row.tokens) out += ";" + std::string(token.value_or("-"));
  return out;
}

/// Returns hour, weekday and day of a time, or "".
std::string time_of(const std::string& text, const std::string& form) {
  ParsedTime time;
  return parse_time(text, form, time) ? concat(time.hour, " ", time.weekday, " ", time.day) : "";
}

}  // namespace

TEST_CASE("parse_time: reads hour and weekday and day of all forms") {
  CHECK(time_of("0", "epoch") == "0 4 1");
  CHECK(time_of("-1", "epoch") == "23 3 31");
  CHECK(time_of("951868799.9", "epoch") == "23 2 29");
  CHECK(time_of("951868800000", "epoch_ms") == "0 3 1");
  CHECK(time_of("14102109", "yymmddhh") == "9 2 21");
  for (const std::string text : {"2014-10-21T09:08:07Z", "2014-10-21 09:08:07.25", "2014-10-21T09:08+05:30",
                                 "2014-10-21 09", "2014-10-21T09-0800"})
    CHECK(time_of(text, "iso") == "9 2 21");
  CHECK(time_of("2024-02-29", "iso") == "0 4 29");
  for (const std::string wrong : {"", "x", "2014-10-21T", "2014-10-21T24", "2014-13-01", "2023-02-29", "2014-10-21T09:",
                                  "2014-10-21T09:60", "2014-10-21T09:08:07x", "14-10-21", "2014-10-21T09+9"})
    CHECK(time_of(wrong, "iso") == "");
  for (const std::string wrong : {"", "141021", "1410210x", "14102124", "14133100", "141021091", "-4102109"})
    CHECK(time_of(wrong, "yymmddhh") == "");
  for (const std::string wrong : {"", "nan", "1e13", "-1e13", "12:00"}) CHECK(time_of(wrong, "epoch") == "");
}

TEST_CASE("parse_time: finds the instant and the date as written") {
  const auto instant_of = [](const std::string& text, const std::string& form) {
    ParsedTime time;
    REQUIRE(parse_time(text, form, time));
    return concat(instant_text(time.instant), " +", time.instant % 1000000, " ", date_text(time.date));
  };
  CHECK(instant_of("951868799.75", "epoch") == "2000-02-29 23:59:59 +750000 2000-02-29");
  CHECK(instant_of("1414800000123", "epoch_ms") == "2014-11-01 00:00:00 +123000 2014-11-01");
  CHECK(instant_of("14102109", "yymmddhh") == "2014-10-21 09:00:00 +0 2014-10-21");
  CHECK(instant_of("2014-10-21", "iso") == "2014-10-21 00:00:00 +0 2014-10-21");
  CHECK(instant_of("2014-10-21T09:08:07.5", "iso") == "2014-10-21 09:08:07 +500000 2014-10-21");
  CHECK(instant_of("2014-10-21 01:08:07+05:30", "iso") == "2014-10-20 19:38:07 +0 2014-10-21");
  CHECK(instant_of("2014-10-21T23-08", "iso") == "2014-10-22 07:00:00 +0 2014-10-21");
}

TEST_CASE("make_row_format: makes values from buckets and times and crosses and labels from numbers") {
  const auto layout = make_row_format(ratings())->layout();
  CHECK(join(layout.features) == "age, when_hour, when_weekday, when_day, user, both");
  CHECK(layout.labels == "1 is at least 4, 0 is less");
  CHECK(read("4,17.9,2014-10-21 09,u") ==
        "1;below 18;9;2;21;u;u\x1F"
        "9");
  CHECK(read("3.99,18,2014-10-21,v") ==
        "0;18 to 30.5;0;2;21;v;v\x1F"
        "0");
  Settings ordered = ratings();
  ordered.columns.erase(ordered.columns.begin());
  ordered.columns[2].parts = {};
  CHECK(join(make_row_format(ordered)->layout().features) == "age, user");
  CHECK(read("4,17.9,2014-10-21 09,u", ordered) == "1;below 18;u");
  CHECK(read("5,30.5,NA,v") == "1;from 30.5;-;-;-;v;-");
  CHECK(read("0,,2014-10-21,NA") == "0;-;0;2;21;-;-");
  CHECK(mentions(read("4,x,2014-10-21,v"), "age: \"x\" is not a number"));
  CHECK(mentions(read("4,1,14102109,v"), "when: \"14102109\" is not a time of the form"));
  CHECK(mentions(read(",1,2014-10-21,v"), "the label is missing; rows to score belong in preprocess.predict"));
  CHECK(mentions(read("good,1,2014-10-21,v"), "rating: \"good\" is not a number"));
}

TEST_CASE("make_row_format: members with the separator of crosses make other values than those without it") {
  Settings settings = ratings();
  settings.columns[0].cross = {"user", "item"};
  settings.columns[2] = {"item", ColumnKind::category};
  Column all{"all", ColumnKind::category};
  all.cross = {"both", "when_hour"};
  settings.columns.push_back(all);
  std::vector<std::string> crosses, crosses_of_crosses;
  const std::string unit = "\x1F", escape = "\x1E";
  for (const auto& [user, item] : std::vector<std::pair<std::string, std::string>>{{"u", "i"},
                                                                                   {"u" + unit + "v", "i"},
                                                                                   {"u", "v" + unit + "i"},
                                                                                   {"u" + escape, "i"},
                                                                                   {"u" + escape + unit, "i"}}) {
    Row row;
    REQUIRE(parsed(*make_row_format(settings), concat("4,", item, ",2014-10-21 09,", user), row) == "");
    crosses.emplace_back(row.tokens[row.tokens.size() - 2].value());
    crosses_of_crosses.emplace_back(row.tokens.back().value());
  }
  CHECK(crosses.front() == "u" + unit + "i");
  CHECK(crosses_of_crosses.front() == "u" + unit + "i" + unit + "9");
  for (std::vector<std::string>* texts : {&crosses, &crosses_of_crosses}) {
    std::sort(texts->begin(), texts->end());
    CHECK(std::adjacent_find(texts->begin(), texts->end()) == texts->end());
  }
}

TEST_CASE("make_row_format: keys of made columns must fit") {
  CHECK(refusal([](auto&) {}) == "");
  CHECK(mentions(refusal([](auto& c) { c[2].buckets = {2, 2}; }), "age: buckets does not ascend"));
  CHECK(mentions(refusal([](auto& c) { c[2].separator = "|"; }), "age: buckets takes one number"));
  CHECK(mentions(refusal([](auto& c) { c[3].buckets = {1}; }), "when: buckets applies only to categories"));
  CHECK(mentions(refusal([](auto& c) { c[3].parts = {"minute"}; }), "when: parts has \"minute\""));
  CHECK(mentions(refusal([](auto& c) {
                   c[3].parts = {};
                   c = {c[1], c[3]};
                 }),
                 "no column is of kind = \"number\" or \"category\""));
  CHECK(mentions(refusal([](auto& c) { c[4].time = "iso"; }), "user: time applies only to times"));
  CHECK(mentions(refusal([](auto& c) { c[2].name = "when_day"; }), "two categories are called \"when_day\""));
  CHECK(mentions(refusal([](auto& c) { c[1].positive = {"5"}; }), "rating: positive is set, but threshold"));
  CHECK(mentions(refusal([](auto& c) { c[0].cross = {"user"}; }), "both: cross has one name"));
  CHECK(mentions(refusal([](auto& c) { c[0].cross = {"user", "rating"}; }), "cross names \"rating\", which is no"));
  CHECK(
      mentions(refusal([](auto& c) { c[4].separator = "|"; }), "cross names \"user\", which is no category with one"));
}

TEST_CASE("preprocess: made columns give the same bytes from any ranks and by a header in any order") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text = "user,skip,when,age,rating\n";
  for (Index i = 0; i < 8000; ++i)
    text += concat("u", i % 7, ",x,2014-10-", 10 + i % 20, " ", 10 + i % 3, ":00:00,", i % 60, ",", i % 6, "\n");
  folder.write("log.csv", text);
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    Settings settings = ratings();
    settings.header = settings.skip_other_columns = true;
    settings.train = {folder / "log.csv"};
    settings.output = folder / name;
    const PreprocessReport report = preprocess::run(comm, settings);
    CHECK(report.train.rows == 8000);
    CHECK(report.values == std::vector<Index>{3, 3, 7, 20, 7, 21});
    CHECK(report.train.labels[1] == 2 * (8000 / 6));
  });
  if (world.rank() != 0) return;
  for (int ranks = 2; ranks <= world.size(); ++ranks)
    CHECK(test::read_bytes(folder / (std::to_string(ranks) + "/train.h5")) == test::read_bytes(folder / "1/train.h5"));
}

TEST_CASE("preprocess.vocabulary: other crosses and buckets than those of the training are refused with both") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  std::string text;
  for (Index i = 0; i < 300; ++i)
    text += concat(i % 6, ",", i % 60, ",2014-10-", 10 + i % 20, " ", 10 + i % 3, ":00:00,u", i % 7, "\n");
  Settings plain = ratings(), hashed = ratings();
  plain.train = hashed.train = {folder.write("log.csv", text)};
  for (const std::size_t c : {0, 2}) {
    hashed.columns[c].ids = IdForm::hashed;
    hashed.columns[c].max_rows = 50;
  }
  plain.output = folder / "plain";
  hashed.output = folder / "hashed";
  preprocess::run(world, plain);
  preprocess::run(world, hashed);
  const auto rules =
      store::File::open(folder / "hashed/train.h5").attribute<std::vector<std::string>>("/", "encodings");
  CHECK(rules.front() == "hashed rows=50; buckets 18 30.5");
  CHECK(rules.back() == "hashed rows=50; cross user/when_hour");
  const auto later = [&](Settings settings, const auto& change) {
    settings.vocabulary = settings.output + "/train.h5";
    settings.output = folder / "later";
    change(settings.columns);
    return error_of([&] { preprocess::run(world, settings); });
  };
  for (const Settings& settings : {plain, hashed}) CHECK(later(settings, [](auto&) {}) == "");
  CHECK(mentions(later(hashed, [](auto& c) { std::swap(c[0].cross[0], c[0].cross[1]); }),
                 "hashed/train.h5: values of both are \"cross user/when_hour\", but preprocess.column says "
                 "\"cross when_hour/user\"; give the column"));
  for (const Settings& settings : {plain, hashed})
    CHECK(mentions(later(settings,
                         [](auto& c) {
                           c[2].buckets = {18, 40};
                         }),
                   "values of age are \"buckets 18 30.5\", but preprocess.column says \"buckets 18 40\""));
  CHECK(mentions(later(hashed, [](auto& c) { c[2].buckets.clear(); }), "says \"a text of the file\""));
}

TEST_CASE("preprocess: says of a weekday that training lacks to train on it or to leave it out") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const auto days = [](const std::string& first, const std::string& second) {
    std::string text;
    for (Index i = 0; i < 20; ++i) text += concat(i % 5, ",17,2014-10-", i % 2 ? first : second, ",u", i % 3, "\n");
    return text;
  };
  folder.write("train.csv", days("21", "22"));
  folder.write("next.csv", days("23", "24"));
  Settings settings = ratings();
  settings.train = {folder / "train.csv"};
  settings.evaluate = {folder / "next.csv"};
  settings.output = folder / "out";
  const std::string text = error_of([&] { preprocess::run(world, settings); });
  INFO(text);
  CHECK(mentions(text,
                 "next.csv: column when_weekday: 20 of 20 values (100 %) have no id, for example \"5\", but the "
                 "training files have \"2\"; train on times with all values of when_weekday, take \"weekday\" "
                 "out of the parts of when, or set preprocess.max_unknown = 1.0 (now 0.9)"));
}
