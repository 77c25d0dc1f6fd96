// SPDX-License-Identifier: Apache-2.0
// Pages of sweeps, in the order and the colors of sweep.json's ranking.
#include <numeric>

#include "catch.hpp"
#include "errors.hpp"
#include "made_runs.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/report/report.hpp>

namespace {

/// Writes sweep.json with points p0, p1, ..., their values of the metric, and one value for all keys of each.
void write_sweep(const std::string& folder, const std::string& metric, const std::vector<double>& values,
                 const std::vector<int>& ranking, const std::vector<std::string>& keys = {"run.seed"},
                 const Json& value = 1) {
  Json of_keys = Json::array(), points = Json::array(), settings = Json::object();
  for (const std::string& key : keys) {
    of_keys.add(Json::object().set("key", key).set("share", Json()).set("better", 1));
    settings.set(key, value);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    points.add(Json::object()
                   .set("folder", "elsewhere/p" + std::to_string(i))
                   .set("values", settings)
                   .set("state", int(i) == ranking[0] ? "done" : "stopped")
                   .set("value", values[i])
                   .set("samples", 5));
  write(folder + "/sweep.json", Json::object()
                                    .set("metric", metric)
                                    .set("more_is_better", metric == "auc")
                                    .set("ranking", ranking)
                                    .set("keys", of_keys)
                                    .set("points", points)
                                    .text());
}

}  // namespace

TEST_CASE("make_page: a sweep has a line a point and the curves of the points with a run") {
  const Folder folder;
  for (const char* const name : {"p0", "p1"}) write_metrics(folder.path + "/sweep/" + name, 5);
  write(folder.path + "/sweep/sweep.json",
        R"({"metric": "auc", "more_is_better": true, "ranking": [0, 1, 2], "keys": [
{"key": "optimizer.dense.lr", "share": 0.875, "better": 0.1}, {"key": "model.type", "share": null, "better": "dlrm"}], "points": [
{"index": 0, "folder": "elsewhere/p0", "values": {"optimizer.dense.lr": 0.1, "model.type": "dlrm"}, "state": "done", "value": 0.79, "samples": 5},
{"index": 1, "folder": "elsewhere/p1", "values": {"optimizer.dense.lr": 10, "model.type": "dlrm_dcn"}, "state": "done", "value": 0.75, "samples": 5},
{"index": 2, "folder": "elsewhere/p2", "values": {"optimizer.dense.lr": 1, "model.type": "dlrm"}, "state": "missing", "value": null, "samples": 0}]})");
  const report::Page made = report::make_page({folder.path + "/sweep"});
  CHECK(made.runs == 2);
  REQUIRE(made.warnings.size() == 1);
  CHECK(mentions(made.warnings[0], "1 of 3 points have no metrics.jsonl"));
  const std::vector<Element> page = checked(made.html);
  const std::vector<Element> lines = all(page, "polyline");
  REQUIRE(lines.size() == 3 + 2 * 5);
  CHECK(points_of(lines[0]) == 2);  // the failed point ends before the metric's axis and lies below the others
  CHECK(points_of(lines[1]) == 3);
  CHECK(has_text(page, "title", "p0: auc 0.79, done"));
  CHECK(has_text(page, "title", "p2: auc missing"));
  CHECK(has_text(page, "td", "0.875"));
  // One table has all points with their keys, also the points without a run.
  CHECK(texts(page, "td", "p") == std::vector<std::string>{"p0", "p1", "p2"});
  CHECK(texts(page, "th", "optimizer.dense.lr").size() == 1);
  CHECK(has_text(page, "td", "dlrm_dcn"));
}

TEST_CASE("make_page: the best point of a sweep is first in its ranking") {
  const Folder folder;
  for (const char* const name : {"p0", "p1"}) write_metrics(folder.path + "/" + name, 5);
  write_sweep(folder.path, "auc", {0.79, 0.75}, {1, 0});
  const std::vector<Element> page = checked(report::make_page({folder.path}).html);
  CHECK(texts(page, "td", "p") == std::vector<std::string>{"p1", "p0"});
  const auto best = std::find_if(page.begin(), page.end(), [](const Element& e) { return e.has_class("best"); });
  REQUIRE(best - page.begin() > 2);
  CHECK(best[-2].text == "p1: auc 0.75, done");
  CHECK(best->has_class("q0"));
  CHECK(has_text(page, "text", "final auc"));
}

TEST_CASE("make_page: the curves of many points have the colors and the order of the ranking") {
  const Folder folder;
  std::vector<double> values;
  std::vector<int> ranking;
  for (int i = 0; i < 7; ++i) {
    write_metrics(folder.path + "/p" + std::to_string(i), 5);
    values.push_back(7 - i);
    ranking.push_back(6 - i);
  }
  write_sweep(folder.path, "log_loss", values, ranking);
  const std::vector<Element> page = checked(report::make_page({folder.path}).html);
  const std::vector<std::string> names = texts(page, "td", "p");
  REQUIRE(names.size() == 7);
  CHECK(names[0] == "p6");
  CHECK(names[6] == "p0");
  const std::vector<Element> legends = all(page, "p", "legend");
  REQUIRE(legends.size() == 2);
  for (const Element& legend : legends) CHECK(mentions(legend.text, "colors by log_loss"));
}

TEST_CASE("make_page: an AUC far from the others does not make its axis logarithmic") {
  const Folder folder;
  write_sweep(folder.path, "auc", {0.9, 0.46, 0.02}, {0, 1, 2});
  const std::vector<Element> page = checked(report::make_page({folder.path}).html), lines = all(page, "polyline");
  CHECK(all(page, "h2").size() == 2);  // points and sweep: no point has curves
  REQUIRE(lines.size() == 3);
  CHECK(last_point(lines[1]).second ==
        Approx((last_point(lines[0]).second + last_point(lines[2]).second) / 2).margin(0.11));
}

TEST_CASE("make_page: titles and values of many keys do not overlap") {
  const Folder folder;
  std::vector<std::string> keys;
  for (int k = 0; k < 9; ++k) keys.push_back("table.site_category_long_name" + std::to_string(k) + ".rows");
  write_sweep(folder.path, "auc", {0.5, 0.6}, {1, 0}, keys, std::vector<int>{1024, 1024, 512, 256, 128, 1});
  const auto letters = [](const std::string& text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  };
  struct Box {
    double left, right;
  };
  std::map<std::string, std::vector<Box>> rows;  // by y
  constexpr double letter = 6;                   // pixels
  for (const Element& text : all(checked(report::make_page({folder.path}).html), "text")) {
    const double x = std::stod(text.attributes.at("x")), width = letter * double(letters(text.text));
    const bool title = text.has_class("title");
    rows[text.attributes.at("y")].push_back(title ? Box{x - width / 2, x + width / 2} : Box{x - width, x});
  }
  CHECK(rows.size() > 3);
  for (auto& [y, boxes] : rows)
    for (std::size_t i = 1; i < boxes.size(); ++i) CHECK(boxes[i - 1].right < boxes[i].left);
}

TEST_CASE("make_page: points newer than sweep.json are shown as they are and ranked anew and marked") {
  const Folder folder;
  const auto outcome = [](const char* digest, double auc) {
    return Json::object()
        .set("steps", 16)
        .set("samples", 2048)
        .set("weights_digest", digest)
        .set("diverged", auc > 0 ? "" : "step 3: the loss is not a number")
        .set("metrics", Json::object().set("auc", auc));
  };
  const auto point = [&](const std::string& name, const std::vector<Json>& outcomes) {
    Json list = Json::array();
    for (const Json& outcome : outcomes) list.add(outcome);
    write(folder.path + "/" + name + "/point.json", Json::object().set("outcomes", list).text());
  };
  // p0 is as in sweep.json. p1, p2 and p5 have ended since, p3 was trained again, p4 crashed.
  point("p0", {outcome("a", 0.8)});
  point("p1", {outcome("b", 0.9)});
  point("p2", {outcome("c", 0.7)});
  point("p3", {outcome("e", 0.85)});
  point("p4", {});
  point("p5", {outcome("", 0)});
  point("more", {outcome("f", 0.99)});
  write(folder.path + "/p4/run.json", "{}");
  write(folder.path + "/p4/lock", "process 1 on elsewhere\n");
  write(
      folder.path + "/sweep.json",
      R"({"deck": "s.toml", "metric": "auc", "more_is_better": true, "rungs": [0], "ranking": [3, 0, 1, 2, 4, 5], "keys": [
{"key": "run.seed", "share": 0.5, "better": 1}], "points": [
{"folder": "x/p0", "values": {"run.seed": 0}, "state": "done", "value": 0.8, "samples": 2048, "steps": 16, "weights_digest": "a"},
{"folder": "x/p1", "values": {"run.seed": 1}, "state": "missing", "value": null, "samples": 0, "steps": 0, "weights_digest": ""},
{"folder": "x/p2", "values": {"run.seed": 2}, "state": "started", "value": null, "samples": 0, "steps": 0, "weights_digest": ""},
{"folder": "x/p3", "values": {"run.seed": 3}, "state": "done", "value": 0.95, "samples": 2048, "steps": 16, "weights_digest": "d"},
{"folder": "x/p4", "values": {"run.seed": 4}, "state": "missing", "value": null, "samples": 0, "steps": 0, "weights_digest": ""},
{"folder": "x/p5", "values": {"run.seed": 5}, "state": "missing", "value": null, "samples": 0, "steps": 0, "weights_digest": ""}]})");
  const report::Page made = report::make_page({folder.path});
  const std::vector<Element> page = checked(made.html);
  CHECK(texts(page, "td", "p") == std::vector<std::string>{"p1", "p3", "p0", "p2", "p4", "p5"});
  CHECK(texts(page, "td", "done, since sweep.json").size() == 3);
  CHECK(has_text(page, "td", "done"));
  CHECK(has_text(page, "td", "crashed"));
  CHECK(has_text(page, "td", "diverged, since sweep.json"));
  CHECK(has_text(page, "td", "0.9"));
  CHECK_FALSE(has_text(page, "td", "0.95"));
  CHECK(texts(page, "th", "share of the variance of auc that it alone explains, without 4 newer points").size() == 1);
  const auto best = std::find_if(page.begin(), page.end(), [](const Element& e) { return e.has_class("best"); });
  REQUIRE(best - page.begin() > 2);
  CHECK(best[-2].text == "p1: auc 0.9, done");
  REQUIRE(made.warnings.size() == 3);
  CHECK(mentions(made.warnings[0], "/sweep.json is older than 4 points of the sweep"));
  CHECK(mentions(made.warnings[0], "update it with `tesserec sweep collect s.toml`"));
  CHECK(mentions(made.warnings[1], "/sweep.json lacks 1 point with a folder in the sweep"));
}

TEST_CASE("make_page: marks a point that diverged") {
  const Folder folder;
  write_metrics(folder.path + "/p0", 2);
  write(folder.path + "/p0/point.json",
        R"({"outcomes": [{"diverged": ""}, {"diverged": "the loss is not a number"}]})");
  write_metrics(folder.path + "/p1", 2);
  write(folder.path + "/p1/point.json", R"({"outcomes": [{"diverged": ""}]})");
  const std::vector<Element> page = checked(report::make_page({folder.path + "/p0", folder.path + "/p1"}).html);
  CHECK(has_text(page, "td", "diverged"));
  CHECK(has_text(page, "small", "the loss is not a number"));
  CHECK(texts(page, "td", "running or crashed").size() == 1);
}

TEST_CASE("make_page: shows the last lines of the log of a point that failed before training") {
  const Folder folder;
  write_metrics(folder.path + "/p0", 2);
  write_sweep(folder.path, "auc", {0.75, NAN}, {0, 1});
  std::string log;
  for (int i = 1; i <= 20; ++i) log += "line " + std::to_string(i) + "\n";
  write(folder.path + "/p 1/log.txt", log + "tesserec: train.lanes <is> odd\n");
  write(folder.path + "/p 1/point.json", R"({"outcomes": []})");
  std::string json = read_file(folder.path + "/sweep.json");
  json.replace(json.find("elsewhere/p1"), 12, "elsewhere/p 1");
  json.replace(json.rfind("stopped"), 7, "started");
  write(folder.path + "/sweep.json", json);
  const std::vector<Element> page = checked(report::make_page({folder.path}).html);
  CHECK(has_text(page, "small", "train.lanes <is> odd"));
  const std::vector<std::string> shown = texts(page, "pre", "line 10\n");
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].ends_with("line 20\ntesserec: train.lanes <is> odd"));
  const std::vector<Element> links = all(page, "a");
  CHECK(std::any_of(links.begin(), links.end(),
                    [](const Element& link) { return link.attributes.at("href") == "p%201/log.txt"; }));
}
