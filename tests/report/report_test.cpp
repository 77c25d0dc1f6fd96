// SPDX-License-Identifier: Apache-2.0
// Pages of made-up runs: well-formed, with all their points and units, of nothing outside; also of runs that crashed.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include "markup.hpp"
#include <tesserec/core/index.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/report/report.hpp>

using namespace tesserec;

namespace {

struct Folder {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tesserec_report_" + std::to_string(getpid()))).string();
  Folder() {
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

/// A run of `lines` lines; the last of them is an evaluation.
void write_metrics(const std::string& folder, int lines, const std::string& tail = "") {
  std::string text;
  for (int i = 1; i <= lines; ++i)
    text += Json::object()
                .set("step", i)
                .set("kind", "train")
                .set("samples", 100.0 * i)
                .set("loss", 0.5 + 0.1 / i + 0.01 * (i % 7) + (i == 507 ? 0.3 : 0))
                .set("lr", 0.1)
                .set("samples_per_second", 1000.0 + i % 3)
                .set("time", 1.7e9 + 0.1 * i)
                .text() +
            "\n";
  text += Json::object()
              .set("step", lines)
              .set("kind", "evaluate")
              .set("samples", 100.0 * lines)
              .set("auc", 0.75)
              .set("ne", 0.9)
              .set("time", 1.7e9 + 0.1 * lines + 1)
              .text() +
          "\n";
  write(folder + "/metrics.jsonl", text + tail);
}

void write_records(const std::string& folder, const std::string& rows = "[3, 1]") {
  write(
      folder + "/run.json",
      R"({"start_time": "2026-01-02T03:04:05Z", "versions": "tesserec 0 & <more>", "ranks": 2, "hosts": [{"name": "n1", "ranks": 2}],
"argv": ["train", "d.toml"], "deck_file": "d.toml", "deck_text": "[run]", "deck": "[run]\nname = \"a\"\n\n[train]\nepochs = )" +
          rows.substr(1, 1) + R"(\n",
"memory_bytes": {"weights": [4096, 0], "states": [1024, 0], "messages": [512, 512]},
"plan": {"ranks": 2, "memory_bytes": 1000000, "gap": 0.25, "critical_path_seconds": 0.001, "tables": [
{"name": "t<1>", "rows": 4, "dim": 8, "type": "row_wise", "shards": [{"rank": 0, "offset": [0, 0], "size": )" +
          rows + R"(}]}, {"name": "t2", "rows": 2, "dim": 4, "type": "data_parallel", "shards": []}]}})");
  std::vector<Index> samples(100, 5), clicks(100, 1);
  std::vector<double> scores;
  for (int b = 0; b < 100; ++b) scores.push_back(5 * (b + 0.5) / 100);
  write(folder + "/result.json",
        Json::object()
            .set("signal", 15)
            .set("step_seconds", 0.002)
            .set("peak_memory_bytes", 9000)
            .set("peak_memory_bytes_of_ranks", std::vector<Index>{9000, 8000})
            .set("phase_seconds", Json::object().set("dense", 3.0).set("send ids", 1.0))
            .set("evaluation",
                 Json::object()
                     .set("auc", 0.75)
                     .set("bins", Json::object().set("samples", samples).set("clicks", clicks).set("scores", scores)))
            .text());
}

std::vector<Element> all(const std::vector<Element>& page, const std::string& name, const std::string& css = "") {
  std::vector<Element> found;
  for (const Element& element : page)
    if (element.name == name && (css.empty() || element.has_class(css))) found.push_back(element);
  return found;
}

bool has_text(const std::vector<Element>& page, const std::string& name, const std::string& text) {
  return std::any_of(page.begin(), page.end(), [&](const Element& e) { return e.name == name && e.text == text; });
}

/// Well-formed, without scripts or anything to load, each axis with a unit, each coordinate a number.
std::vector<Element> checked(const std::string& html) {
  const std::vector<Element> page = elements_of(html);
  CHECK(html.find("://") == std::string::npos);
  CHECK(all(page, "script").empty());
  for (const Element& element : page) {
    if (element.attributes.count("src") != 0) FAIL_CHECK("an element with a source: " << element.name);
    if (element.name == "text" && element.has_class("title") && element.text.find("×") == std::string::npos &&
        element.text != "table" && element.text != "sharding" && element.text.find('.') == std::string::npos)
      CHECK(element.text.find('(') != std::string::npos);
    for (const auto& [name, value] : element.attributes)
      if (value.find("nan") != std::string::npos || value.find("inf") != std::string::npos)
        FAIL_CHECK(element.name << " " << name << " " << value);
  }
  return page;
}

std::size_t points_of(const Element& polyline) {
  return 1 + std::count(polyline.attributes.at("points").begin(), polyline.attributes.at("points").end(), ' ');
}

}  // namespace

TEST_CASE("a page of one run has each of its points, its plan, memory, phases, scores, deck and machine") {
  const Folder folder;
  const std::string run = folder.path + "/a<b>&\"c";
  write_metrics(run, 30);
  write_records(run);
  const report::Page made = report::make_page({run});
  CHECK(made.runs == 1);
  CHECK(made.warnings.empty());
  const std::vector<Element> page = checked(made.html);
  CHECK(has_text(page, "td", "a<b>&\"c"));
  CHECK(has_text(page, "td", "signal 15"));
  CHECK(has_text(page, "td", "2026-01-02T03:04:05Z"));
  CHECK(has_text(page, "td", "tesserec 0 & <more>"));
  CHECK(has_text(page, "code", "tesserec train d.toml"));
  CHECK(has_text(page, "pre", "[run]\nname = \"a\"\n\n[train]\nepochs = 3\n"));
  for (const char* const title :
       {"Training loss over samples", "Training loss over time", "AUC of the evaluation set over samples",
        "Normalized entropy of the evaluation set over time", "Speed over samples", "Calibration at the end",
        "Scores of the evaluation set", "Phases of the step", "Memory of each rank, a<b>&\"c",
        "Plan: who holds what, a<b>&\"c"}) {
    INFO(title);
    CHECK(has_text(page, "h3", title));
  }
  const std::vector<Element> lines = all(page, "polyline");
  REQUIRE(lines.size() == 11);  // 4 metrics over samples and over time, calibration, clicks and others
  CHECK(points_of(lines[0]) == 30);
  CHECK(points_of(lines[1]) == 30);
  CHECK(points_of(lines[2]) == 1);
  CHECK(points_of(lines[8]) == 20);   // 100 bins in twentieths of the samples
  CHECK(points_of(lines[9]) == 200);  // both edges of each bin
  // A table of 3 of 32 numbers on rank 0, one on both ranks; then phases of 2 bars, memory of 2 x 3 bars.
  const std::vector<Element> bars = all(page, "rect");
  std::vector<std::string> shades;
  for (const Element& bar : bars)
    if (bar.attributes.count("fill-opacity") == 1) shades.push_back(bar.attributes.at("fill-opacity"));
  CHECK(shades == std::vector<std::string>{"0.23", "1.00", "1.00"});
  CHECK(bars.size() == 3 + 2 + 6);
  CHECK(has_text(page, "title", "a<b>&\"c, dense: 1.5 ms, 75.0 %"));
  CHECK(has_text(page, "title", "rank 0, states: 1.00 KiB"));
  CHECK(has_text(page, "title", "rank 1, peak: 7.81 KiB"));
}

TEST_CASE("a run that crashed, with its last line cut, and a run of one step are shown") {
  const Folder folder;
  write_metrics(folder.path + "/crashed", 3, "{\"step\": 4, \"kind\": \"tr");
  write_metrics(folder.path + "/one", 1);
  const std::vector<Element> page = checked(report::make_page({folder.path + "/crashed", folder.path + "/one/"}).html);
  CHECK(has_text(page, "td", "running or crashed, its last line was cut"));
  CHECK(has_text(page, "td", "one"));
  const std::vector<Element> lines = all(page, "polyline");
  REQUIRE(lines.size() == 16);
  CHECK(points_of(lines[0]) == 3);
  CHECK(points_of(lines[1]) == 1);
  CHECK(lines[0].inside.size() > 3);
}

TEST_CASE("fifty long runs make a small page, which keeps each peak") {
  const Folder folder;
  std::vector<std::string> runs;
  for (int r = 0; r < 50; ++r) {
    runs.push_back(folder.path + "/r" + std::to_string(r));
    write_metrics(runs.back(), 1000);
    write_records(runs.back(), r % 2 == 0 ? "[3, 1]" : "[2, 1]");
  }
  const report::Page made = report::make_page(runs);
  CHECK(made.runs == 50);
  CHECK(made.html.size() < 2000000);
  const std::vector<Element> page = checked(made.html);
  CHECK(all(page, "polyline").size() == 50 * 10);
  CHECK(has_text(page, "th", "train.epochs"));
  CHECK_FALSE(has_text(page, "th", "run.name"));
  // The loss of step 507 is the highest of its run: it stands on top of the plot in every line.
  std::size_t on_top = 0, most = 0;
  const std::vector<Element> lines = all(page, "polyline");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    most = std::max(most, points_of(lines[i]));
    on_top += i < 100 && lines[i].attributes.at("points").find(",21.3") != std::string::npos;
  }
  CHECK(on_top == 2 * 50);
  CHECK(most <= 4 * 61);
}

TEST_CASE("a sweep has a line a point, and the curves of the points that have them") {
  const Folder folder;
  for (const char* const name : {"p0", "p1"}) write_metrics(folder.path + "/sweep/" + name, 5);
  write(folder.path + "/sweep/sweep.json",
        R"({"metric": "auc", "more_is_better": true, "keys": [
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
  REQUIRE(lines.size() == 3 + 2 * 8);
  CHECK(points_of(lines[0]) == 2);  // the failed one ends before the metric's axis, and lies below the others
  CHECK(points_of(lines[1]) == 3);
  CHECK(has_text(page, "title", "p0: auc 0.79"));
  CHECK(has_text(page, "title", "p2: auc missing"));
  CHECK(has_text(page, "td", "0.875"));
  CHECK(has_text(page, "td", "dlrm_dcn"));
}

TEST_CASE("folders that are no runs are refused, with what to give") {
  const Folder folder;
  const auto refused = [&](const std::string& part) {
    const std::string error = error_of([&] { report::make_page({folder.path + "/x"}); });
    INFO(error);
    CHECK(mentions(error, part));
    CHECK(mentions(error, folder.path + "/x"));
  };
  refused("no such folder");
  std::filesystem::create_directory(folder.path + "/x");
  refused("no metrics.jsonl there; give the folder of a run");
  write(folder.path + "/x/metrics.jsonl", "");
  refused("not one line");
  write(folder.path + "/x/metrics.jsonl", "{\"step\": 1}\n");
  refused("metrics.jsonl:1: it has no \"kind\"");
  write_metrics(folder.path + "/x", 2);
  write(folder.path + "/x/result.json", "[1]");
  refused("result.json: an object is wanted");
  write(folder.path + "/x/sweep.json", "{}");
  refused("sweep.json: it has no \"metric\"");
}
