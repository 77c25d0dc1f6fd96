// SPDX-License-Identifier: Apache-2.0
// Numbers on a page, computed by hand: axes, units, plans of many ranks, colors, keys that differ.
#include <cmath>
#include <set>
#include <string>

#include "catch.hpp"
#include "made_runs.hpp"
#include "src/report/metric.hpp"
#include "src/report/rows.hpp"
#include "src/report/scale.hpp"
#include "src/report/svg.hpp"
#include <tesserec/report/curve_difference.hpp>
#include <tesserec/report/report.hpp>

using report::Scale;

namespace {

std::vector<double> rounded(std::vector<double> values) {
  for (double& value : values) value = std::stod(std::to_string(value));
  return values;
}

/// Writes a run with these losses, one line every `seconds`.
void write_losses(const std::string& folder, const std::vector<double>& losses, double seconds = 1) {
  std::string text;
  for (std::size_t i = 0; i < losses.size(); ++i)
    text += Json::object()
                .set("step", i + 1)
                .set("kind", "train")
                .set("samples", 1000.0 * double(i + 1))
                .set("loss", losses[i])
                .set("samples_per_second", 1000 / seconds)
                .set("time", 1.7e9 + seconds * double(i + 1))
                .text() +
            "\n";
  write(folder + "/metrics.jsonl", text);
}

std::vector<Element> page_of(const std::vector<std::string>& folders) {
  return checked(report::make_page(folders).html);
}

/// Returns the heights of a line's points.
std::vector<double> heights(const Element& polyline) {
  std::vector<double> y;
  const std::string& points = polyline.attributes.at("points");
  for (std::size_t comma = points.find(','); comma != std::string::npos; comma = points.find(',', comma + 1))
    y.push_back(std::stod(points.substr(comma + 1)));
  return y;
}

}  // namespace

TEST_CASE("Scale: ticks are round and few and inside") {
  const auto linear = [](double low, double high) { return rounded(Scale(low, high, 0, 100).ticks()); };
  CHECK(linear(0, 1) == std::vector<double>{0, 0.2, 0.4, 0.6, 0.8, 1});
  CHECK(linear(0, 7) == std::vector<double>{0, 2, 4, 6});
  CHECK(linear(-3, 12) == std::vector<double>{0, 5, 10});
  CHECK(linear(1234, 1300) == std::vector<double>{1240, 1260, 1280, 1300});
  const auto log = [](double low, double high) { return Scale(low, high, 0, 100, Scale::Kind::logarithmic).ticks(); };
  CHECK(rounded(log(0.3, 20)) == std::vector<double>{0.5, 1, 2, 5, 10, 20});
  CHECK(rounded(log(0.05, 200)) == std::vector<double>{0.1, 1, 10, 100});
  const std::vector<double> wide = log(1e-12, 1e3);
  REQUIRE(wide.size() == 6);
  for (int i = 0; i < 6; ++i) CHECK(wide[i] == Approx(std::pow(10.0, 3 * i - 12)));
  CHECK(Scale(1, 100, 0, 10, Scale::Kind::logarithmic).at(10) == Approx(5));
  CHECK(Scale(1, 3, 10, 0).at(1.5) == Approx(7.5));
}

TEST_CASE("tick_text: has the prefix of the number's size") {
  for (const auto& [value, text] : {std::pair{0.25, "0.25"},
                                    {-1234, "-1234"},
                                    {12500, "12.5 k"},
                                    {999900, "999.9 k"},
                                    {2.5e6, "2.5 M"},
                                    {3e9, "3 G"},
                                    {4.25e13, "42.5 T"}})
    CHECK(report::tick_text(value) == text);
}

TEST_CASE("make_page: time counts from the first step in the unit of the run's length") {
  const Folder folder;
  for (const auto& [seconds, unit] : {std::pair{3600.0, "hours"}, {60.0, "minutes"}, {1.0, "seconds"}}) {
    const std::string run = folder.path + "/" + unit;
    write_losses(run, {4, 3, 2, 1}, seconds);
    const std::vector<Element> page = page_of({run});
    CHECK(has_text(page, "text", std::string("time since the first step (") + unit + ")"));
    // The first line is written one line's time after the first step.
    const std::string name = std::string(unit) + ": ";
    CHECK(has_text(page, "title", name + "1, 4"));
    CHECK(has_text(page, "title", name + "4, 1"));
    CHECK(has_text(page, "title", name + "1000, 4"));
  }
}

TEST_CASE("make_page: losses far apart have a logarithmic axis unless one is 0") {
  const Folder folder;
  const auto of = [&](const std::string& name, const std::vector<double>& losses) {
    write_losses(folder.path + "/" + name, losses);
    return heights(all(page_of({folder.path + "/" + name}), "polyline")[0]);
  };
  for (const auto& [name, losses] :
       {std::pair{"log", std::vector<double>{100, 10, 1}}, {"linear", {3, 2, 1}}, {"zero", {100, 50, 0}}}) {
    INFO(name);
    const std::vector<double> y = of(name, losses);
    REQUIRE(y.size() == 3);
    CHECK(y[1] == Approx((y[0] + y[2]) / 2).margin(0.11));
    CHECK(y[0] < y[2]);
  }
}

TEST_CASE("make_page: a plan of many ranks shows the fullest of a column and the largest table first") {
  const Folder folder;
  write_losses(folder.path, {2, 1});
  Json per_rank = Json::array();
  for (int rank = 0; rank < 128; ++rank) per_rank.add(Json::object().set("bytes", rank == 127 ? 900.0 : 300.0));
  const auto shard = [](int rank, Index rows) {
    return Json::object().set("rank", rank).set("size", std::vector<Index>{rows, 8});
  };
  Json shards = Json::array(), single = Json::array(), tables = Json::array();
  shards.add(shard(0, 100)).add(shard(1, 300)).add(shard(126, 600));
  single.add(shard(5, 10));
  tables.add(Json::object()
                 .set("name", "little")
                 .set("rows", 10)
                 .set("dim", 8)
                 .set("type", "table_wise")
                 .set("shards", single));
  tables.add(Json::object()
                 .set("name", "large")
                 .set("rows", 1000)
                 .set("dim", 8)
                 .set("type", "row_wise")
                 .set("shards", shards));
  Json plan = Json::object().set("ranks", 128).set("memory_bytes", 1000).set("gap", 0.125);
  plan.set("critical_path_seconds", 0.0045).set("per_rank", per_rank).set("tables", tables);
  write(folder.path + "/run.json", Json::object().set("ranks", 128).set("plan", plan).text());
  const std::vector<Element> page = page_of({folder.path});
  CHECK(texts(page, "title", "l") ==
        std::vector<std::string>{"large", "large, ranks 0 to 1, at most: 30 % of the table",
                                 "large, ranks 126 to 127, at most: 60 % of the table", "little",
                                 "little, ranks 4 to 5, at most: 100 % of the table"});
  CHECK(has_text(page, "title", "ranks 126 to 127, at most: 900 B of 1000 B, 90 %"));
  CHECK(has_text(page, "title", "ranks 124 to 125, at most: 300 B of 1000 B, 30 %"));
  CHECK(has_text(page, "p",
                 "The largest table comes first. Predicted time of the tables: 4.5 ms per step, at most 12.5 % "
                 "above the optimal plan."));
  CHECK(has_text(page, "text", "120"));  // below the column of ranks 120 and 121
}

TEST_CASE("make_page: values of a key far apart are placed by their logarithms") {
  const Folder folder;
  Json points = Json::array(), keys = Json::array();
  for (const auto& [name, lr] : {std::pair{"p0", 0.01}, {"p1", 1.0}, {"p2", 100.0}})
    points.add(Json::object()
                   .set("folder", name)
                   .set("values", Json::object().set("optimizer.dense.lr", lr))
                   .set("state", "done")
                   .set("value", 0.5)
                   .set("samples", 5));
  keys.add(Json::object().set("key", "optimizer.dense.lr").set("share", 0.5).set("better", 1));
  write(folder.path + "/sweep.json", Json::object()
                                         .set("metric", "auc")
                                         .set("more_is_better", true)
                                         .set("ranking", std::vector<int>{0, 1, 2})
                                         .set("keys", keys)
                                         .set("points", points)
                                         .text());
  const std::vector<Element> lines = all(page_of({folder.path}), "polyline");
  REQUIRE(lines.size() == 3);
  std::vector<double> y;
  for (const Element& line : lines) y.push_back(heights(line)[0]);
  CHECK(y[1] == Approx((y[0] + y[2]) / 2).margin(0.11));
  CHECK(y[0] < y[2]);  // the last of the ranking is drawn first
}

TEST_CASE("make_page: orders runs without an AUC by loss and gives them the colors q0 to q8") {
  const Folder folder;
  for (const int count : {8, 20}) {
    std::vector<std::string> runs;
    for (int i = 0; i < count; ++i) {
      runs.push_back(folder.path + "/" + std::to_string(count) + "/x" + std::to_string(i));
      write_losses(runs.back(), {9, 1 + (i * 3) % count * 0.25});
    }
    const std::vector<Element> page = page_of(runs);
    const std::vector<std::string> names = texts(page, "td", "x");
    REQUIRE(std::ssize(names) == count);
    for (int place = 0; place < count; ++place) {
      const int run = std::stoi(names[place].substr(1));
      CHECK(run * 3 % count == place);
    }
    for (int color = 0; color < 9; ++color) {
      INFO(color);
      // Each of 8 runs has its own color, and the middle color is left out.
      CHECK(all(page, "g", "q" + std::to_string(color)).empty() == (count == 8 && color == 4));
    }
    CHECK(all(page, "g", "line").size() == all(page, "polyline").size());
    for (const Element& line : all(page, "g", "line")) CHECK(line.attributes.at("class").size() == 7);
  }
}

TEST_CASE("keys_of and differing_keys: number the tables of a deck and report a missing key") {
  const std::string tables = "[[table]]\nname = \"a\"\nrows = 10\n\n[[table]]\nname = \"b\"\nrows = ";
  const auto first = report::keys_of("[run]\nname = \"x\"\nseed = 3\n" + tables + "20\n"),
             second = report::keys_of("[run]\nname = \"y\"\nseed = 3\n" + tables + "30\n[train]\nsteps = 5\n");
  CHECK(first.at("run.seed") == "3");
  CHECK(first.at("table[1].rows") == "10");
  CHECK(first.at("table[2].rows") == "20");
  CHECK(report::differing_keys({first, second}) == std::vector<std::string>{"table[2].rows", "train.steps"});
  CHECK(report::differing_keys({first, first}).empty());
}

TEST_CASE("make_page and shortened: name eight hosts of many and the ends of a long name") {
  const Folder folder;
  write_losses(folder.path, {1});
  Json hosts = Json::array();
  for (int i = 0; i < 11; ++i) hosts.add(Json::object().set("name", "n" + std::to_string(i)).set("ranks", i + 1));
  write(folder.path + "/run.json", Json::object().set("hosts", hosts).text());
  const std::vector<std::string> cells = texts(page_of({folder.path}), "td", "n0 (1 rank)");
  REQUIRE(cells.size() == 1);
  CHECK(cells[0].ends_with("n6 (7 ranks), n7 (8 ranks) and 3 more"));
  CHECK(report::shortened("abcdefghij", 7) == "abc…hij");
  CHECK(report::shortened("ääääääää", 7) == "ä…ä");
  CHECK(report::shortened("äää", 6) == "äää");
}

TEST_CASE("metric_of: titles have the label and the span of a metric, also where the name is written out") {
  for (const std::string name : {"auc", "ne", "log_loss"}) {
    std::set<std::string> titles;
    for (const std::string before : {"", "window_", "lifetime_", "click.", "buy.", "buy.window_"})
      titles.insert(report::metric_of(before + name).title);
    CHECK(titles.size() == 6);
  }
  CHECK(report::metric_of("ne").title == "normalized entropy (NE)");
  CHECK(report::metric_of("buy.window_ne").axis == "buy window normalized entropy (NE)");
}

TEST_CASE("first_difference: compares losses of lines that cover the same steps") {
  const Folder folder;
  const auto lines = [&](const std::string& name, const std::vector<std::pair<Index, double>>& losses) {
    std::string text;
    for (const auto& [step, loss] : losses)
      text += Json::object().set("step", step).set("kind", "train").set("samples", 10 * step).set("loss", loss).text() +
              "\n";
    write(folder.path + "/" + name + "/metrics.jsonl", text);
  };
  lines("a", {{10, 0.5}, {20, 0.4}, {30, 0.3}, {40, 0.2}});
  lines("stopped", {{10, 0.5}, {15, 0.42}, {20, 0.38}, {30, 0.3}, {40, 0.2}});
  lines("sparse", {{20, 0.45}, {40, 0.25}});
  lines("other", {{10, 0.5}, {20, 0.4}, {25, 0.31}, {30, 0.29}, {40, 0.19}});
  CHECK(!report::first_difference(folder.path + "/a", folder.path + "/stopped"));
  CHECK(!report::first_difference(folder.path + "/a", folder.path + "/sparse"));
  const auto found = report::first_difference(folder.path + "/a", folder.path + "/other");
  REQUIRE(found);
  CHECK(found->step == 40);
  CHECK(found->equal_until == 20);
}
