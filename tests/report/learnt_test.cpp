// SPDX-License-Identifier: Apache-2.0
// Figures of tables and features on a page; running means, speed and reference lines.
#include "catch.hpp"
#include "made_runs.hpp"
#include "src/report/chart.hpp"
#include "src/report/run_folder.hpp"
#include <tesserec/report/report.hpp>

TEST_CASE("smoothed: keeps both ends and averages rates over samples and time") {
  std::vector<report::Point> points;
  for (int i = 0; i < 200; ++i) points.push_back({double(i), i == 100 ? 10.0 : 40.0});
  CHECK(report::smoothing(points) == 2);
  const std::vector<report::Point> means = report::smoothed(points, 2), rates = report::smoothed(points, 2, true);
  REQUIRE(means.size() == 200);
  CHECK(means[0].y == 40);
  CHECK(means[100].y == Approx((4 * 40 + 10) / 5.0));
  CHECK(means[97].y == 40);
  CHECK(rates[102].y == Approx(5 / (4 / 40.0 + 1 / 10.0)));
  points.resize(99);
  CHECK(report::smoothing(points) == 0);
}

TEST_CASE("make_page: shows figures of tables and the importance of features if the run has them") {
  const Folder folder;
  write_metrics(folder.path + "/a", 2);
  write(folder.path + "/a/result.json", R"({"tables": [
{"name": "t", "features": ["f<1>", "g"], "rows": 200000, "dim": 8, "looked_at": 50000, "trained": 12500, "row_norm": 0.5, "start_norm": 0.25, "largest": 2},
{"name": "f2", "features": ["f2"], "rows": 10, "dim": 8, "looked_at": 10, "trained": 9, "row_norm": 1, "start_norm": 1, "largest": 1}],
"features": [{"name": "f<1>", "samples": 200, "empty": 50, "ids": 400, "unknown": 100},
{"name": "g", "samples": 200, "empty": 0, "ids": 400, "unknown": 400}, {"name": "f2", "samples": 200, "empty": 0, "ids": 200, "unknown": 1}]})");
  write(folder.path + "/a/importance.json",
        R"({"checkpoint": "a/checkpoints/step_2", "data": "e.h5", "samples": 200, "features": [
{"feature": "f<1>", "kind": "category", "log_loss": 0.5, "ne": 0.25, "auc": -0.125}, {"feature": "x", "kind": "number", "log_loss": -0.1, "ne": -0.05, "auc": null}]})");
  const std::vector<Element> page = checked(report::make_page({folder.path + "/a"}).html);
  CHECK(has_text(page, "td", "about 50 k"));  // a quarter of all rows
  CHECK(has_text(page, "td", "9"));
  CHECK(has_text(page, "td", "90 %"));
  CHECK(has_text(page, "td", "25 %100 %"));  // unknown ids of both features, a line each
  CHECK(has_text(page, "td", "0.5 %"));
  CHECK(has_text(page, "h3", "Importance of features, a"));
  CHECK(has_text(page, "title", "f<1>: NE +0.25, log loss +0.5, AUC -0.125"));
  CHECK(has_text(page, "title", "x: NE -0.05, log loss -0.1, AUC undefined"));
  const std::vector<Element> bars = all(page, "rect", "bar");
  REQUIRE(bars.size() == 2);
  const auto width = [&](std::size_t bar) { return std::stod(bars[bar].attributes.at("width")); };
  CHECK(width(0) == Approx(5 * width(1)).epsilon(0.01));
  CHECK(std::stod(bars[1].attributes.at("x")) + width(1) == Approx(std::stod(bars[0].attributes.at("x"))).margin(0.11));
}

TEST_CASE("make_page: shows what caches found beside what the most frequent rows would give") {
  const Folder folder;
  write_metrics(folder.path + "/a", 2);
  const std::string figures = R"("features": ["f"], "rows": 8000, "dim": 8, "looked_at": 8000, "trained": 1,
"row_norm": 1, "start_norm": 1, "largest": 1, "cache": {"rows": 2000, "share": 0.125, "ids": 1000, "reads": 250)";
  write(folder.path + "/a/result.json", R"({"tables": [{"name": "t", )" + figures +
                                            R"(, "bytes_read": 64, "bytes_written": 32, "frequent_share": 0.8125}},
{"name": "u", )" + figures + R"(, "bytes_read": 64, "bytes_written": 32}}]})");
  const std::vector<Element> page = checked(report::make_page({folder.path + "/a"}).html);
  CHECK(has_text(page, "h3", "Caches of rows on disk or in host memory"));
  CHECK(has_text(page, "td", "12.5 %"));
  CHECK(has_text(page, "td", "75 %"));
  CHECK(has_text(page, "td", "81.2 %"));
}

namespace {

std::string train_line(double step, double time, double rate) {
  return Json::object()
             .set("step", Index(step))
             .set("kind", "train")
             .set("samples", 1000 * step)
             .set("loss", 0.5)
             .set("samples_per_second", rate)
             .set("time", 1.7e9 + time)
             .text() +
         "\n";
}

std::string evaluate_line(double step, double time, double auc) {
  return Json::object()
             .set("step", Index(step))
             .set("kind", "evaluate")
             .set("samples", 1000 * step)
             .set("auc", auc)
             .set("ne", 0.8 + auc / 10)
             .set("time", 1.7e9 + time)
             .text() +
         "\n";
}

}  // namespace

TEST_CASE("speed_between_lines: a stall between two log lines is a dip and an evaluation is none") {
  const Folder folder;
  // The third line is 9 s late. An evaluation of 5 s follows the fourth. One of 7 s lies between the fifth and the
  // seventh step, where the steps alone took 2 s. A second start resumes from step 8 after a day.
  write(folder.path + "/metrics.jsonl",
        train_line(1, 1, 1000) + train_line(2, 2, 1000) + train_line(3, 12, 1000) + train_line(4, 13, 1000) +
            evaluate_line(4, 18, 0.9) + train_line(5, 19, 1000) + evaluate_line(6, 27, 1) + train_line(7, 28, 1000) +
            train_line(8, 29, 1000) + train_line(9, 90000, 500) + train_line(10, 90004, 300));
  write(folder.path + "/run.json",
        R"({"starts": [{"start_time": "x", "from_step": 0}, {"start_time": "y", "from_step": 8}]})");
  const std::vector<double> speed = report::speed_between_lines(report::read_run(folder.path)).values;
  const std::vector<double> wanted = {1000, 1000, 100, 1000, 1000, 1000, 1000, 500, 250};
  REQUIRE(speed.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(speed[i] == Approx(wanted[i]));

  // An AUC has no axis beyond 1. Normalized entropy has a reference line at 1, or a text that names its distance.
  const std::vector<Element> page = checked(report::make_page({folder.path}).html);
  const std::vector<Element> lines = all(page, "polyline");
  const auto auc = std::find_if(lines.begin(), lines.end(), [](const Element& line) { return points_of(line) == 2; });
  REQUIRE(auc != lines.end());
  CHECK(last_point(*auc).second == 10);  // the top
  CHECK(all(page, "line", "reference").empty());
  CHECK(texts(page, "text", "1: predicting the base rate lies above").size() == 2);  // by samples and by time
}
