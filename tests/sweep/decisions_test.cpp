// SPDX-License-Identifier: Apache-2.0
// Decisions of a sweep, computed by hand: the points that it trains and the point that it ranks first.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/sweep.hpp>
#include <tesserec/sweep/metric.hpp>

using namespace tesserec;

namespace {

struct Folder {
  const std::string path = "/tmp/tesserec_sweep_decisions." + std::to_string(::getpid());
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path + "/" + name) << text; }
};

sweep::Key range(const std::string& path, double min, double max, bool log = false, bool integer = false) {
  return {path, {}, min, max, log, integer};
}

sweep::Settings drawn(const std::vector<sweep::Key>& keys, Index points, sweep::Method method = sweep::Method::random) {
  sweep::Settings settings;
  settings.method = method;
  settings.points = points;
  settings.keys = keys;
  return settings;
}

std::string fault_of(const sweep::Settings& settings) {
  const auto fault = sweep::fault(settings);
  return fault ? fault->key + " " + fault->text : "";
}

/// Returns a sweep over all points of the settings' grid, with the metric at each rung that the points ended.
sweep::Sweep of_grid(const sweep::Settings& settings, const std::vector<std::vector<double>>& values) {
  sweep::Sweep s;
  s.settings = settings;
  s.rungs = {10, 30};
  s.settings.halving = {10, 2};
  for (const sweep::Point& point : sweep::points(s.settings)) {
    sweep::Record record{std::ssize(s.runs), "d", {}, {}};
    for (const double value : values[s.runs.size()])
      record.outcomes.push_back({s.rungs[record.outcomes.size()], 100, "w", "", {{settings.metric, value}}});
    s.runs.push_back({point, "", "runs/p" + std::to_string(s.runs.size()), "d", record});
  }
  return s;
}

sweep::Settings grid(const std::vector<sweep::Key>& keys, const std::string& metric = "auc") {
  sweep::Settings settings;
  settings.keys = keys;
  settings.metric = metric;
  return settings;
}

}  // namespace

TEST_CASE("standing: a rung of n points promotes n / eta of them rounded down and at least one") {
  for (Index n = 1; n <= 30; ++n)
    for (Index eta = 2; eta <= 5; ++eta) {
      const auto result = sweep::standing(
          {1, eta}, 2, n,
          [](Index point, std::size_t rung) { return rung == 0 ? std::optional(double(point)) : std::nullopt; }, true);
      INFO(n << " points, eta " << eta);
      REQUIRE(result.in.size() == 2);
      CHECK(std::ssize(result.in[1]) == std::max<Index>(1, n / eta));
      CHECK(result.in[1].back() == n - 1);
    }
}

TEST_CASE("points: a drawn value is rounded to four digits and stays in its range") {
  const auto values = [](double min, double max) {
    std::vector<std::string> found;
    for (const sweep::Point& point : sweep::points(drawn({range("a.x", min, max)}, 2))) found.push_back(point[0]);
    std::sort(found.begin(), found.end());
    return found;
  };
  CHECK(values(0.12344, 0.12346) == std::vector<std::string>{"0.12344", "0.12346"});  // not 0.1234 and 0.1235
  CHECK(values(-0.12346, -0.12344) == std::vector<std::string>{"-0.12344", "-0.12346"});
}

TEST_CASE("points: draws n in log(n + 1) - log(n) of the points for integers on a log scale") {
  constexpr Index points = 4000;
  for (const sweep::Method method : {sweep::Method::random, sweep::Method::halton}) {
    Index counts[6] = {};
    for (const sweep::Point& point :
         sweep::points(drawn({range("a.n", 2, 5, true, true), range("a.x", 0, 1)}, points, method))) {
      const Index n = parse_number<Index>(point[0]).value();
      REQUIRE((n >= 2 && n <= 5));
      ++counts[n];
    }
    Index all = 0;
    for (int n = 2; n <= 5; ++n) all += counts[n];
    for (int n = 2; n <= 5; ++n) {
      const double share = std::log((n + 1.0) / n) / std::log(6.0 / 2.0);
      INFO(n << ": " << counts[n]);
      CHECK(std::abs(double(counts[n]) - share * double(all)) < 5 * std::sqrt(share * double(all)));
    }
  }
}

TEST_CASE("fault: refuses too many points and bounds that are no integers") {
  std::vector<sweep::Key> keys;
  for (int k = 0; k < 32; ++k) keys.push_back(range("a.k" + std::to_string(k), 0, 1));
  CHECK(fault_of(drawn(keys, 5, sweep::Method::halton)).empty());
  keys.push_back(range("a.k32", 0, 1));
  CHECK(fault_of(drawn(keys, 5, sweep::Method::halton)) ==
        "method is halton, which takes at most 32 keys, but 33 vary");
  CHECK(fault_of(drawn(keys, 5)).empty());

  std::vector<std::string> values;
  for (int i = 0; i < 317; ++i) values.push_back(std::to_string(i));  // 317 * 317 = 100489
  CHECK(fault_of(grid({{"a.x", values}, {"a.y", values}})) ==
        "keys makes more than 100000 points; draw some with method = \"halton\"");

  CHECK(fault_of(drawn({range("a.n", 1.5, 9, false, true)}, 3)) ==
        "keys.a.n has integer = true, but min = 1.5 or max = 9.0 is not an integer");
  CHECK(fault_of(drawn({range("a.n", 1, 9.5, false, true)}, 3)) ==
        "keys.a.n has integer = true, but min = 1.0 or max = 9.5 is not an integer");
}

TEST_CASE("label: is at most 120 characters long") {
  std::vector<sweep::Key> keys;
  for (int k = 0; k < 40; ++k) keys.push_back({"a.key" + std::to_string(k), {"1"}});
  const auto settings = grid(keys);
  CHECK(sweep::label(settings, sweep::points(settings)[0]).size() == 120);
}

TEST_CASE("importance: two points give no key a share") {
  const auto settings = grid({{"a.x", {"1", "2"}}});
  CHECK(std::isnan(sweep::importance(drawn({range("a.x", 0, 9)}, 2), {{"1"}, {"2"}}, {0.5, 0.6}, true)[0].share));
  CHECK(std::isnan(sweep::importance(settings, {{"1"}, {"2"}, {"2"}}, {0.5, 0.6, NAN}, true)[0].share));
}

TEST_CASE("importance: a constant metric gives no key a share or a better value") {
  for (const double value : {0.5, 0.1, 0.7}) {
    const auto settings = grid({{"a.x", {"1", "2"}}, {"a.y", {"1", "2", "3"}}});
    const auto points = sweep::points(settings);
    for (const sweep::Importance& entry :
         sweep::importance(settings, points, std::vector<double>(points.size(), value), true)) {
      INFO(value << ' ' << entry.key);
      CHECK(std::isnan(entry.share));
      CHECK(entry.better.empty());
    }
    const auto drawn_points = std::vector<sweep::Point>{{"1"}, {"2"}, {"3"}};
    const auto rank_correlation =
        sweep::importance(drawn({range("a.x", 0, 9)}, 3), drawn_points, std::vector<double>(3, value), true)[0];
    CHECK((std::isnan(rank_correlation.share) && rank_correlation.better.empty()));
  }
}

TEST_CASE("write_record and read_record: keep all outcomes also of a point that diverged") {
  const Folder folder;
  const sweep::Record record{
      3, "d", {"a.x=1"}, {{10, 640, "w10", "", {{"auc", 0.5}}}, {7, 448, "w7", "loss is nan", {}}}};
  sweep::write_record(folder.path, record);
  const auto back = sweep::read_record(folder.path, "d");
  REQUIRE(back);
  CHECK((back->index == record.index && back->digest == record.digest && back->overrides == record.overrides));
  REQUIRE(back->outcomes.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const sweep::Outcome &got = back->outcomes[i], &want = record.outcomes[i];
    CHECK(got.steps == want.steps);
    CHECK(got.samples == want.samples);
    CHECK(got.weights_digest == want.weights_digest);
    CHECK(got.diverged == want.diverged);
    CHECK(got.metrics == want.metrics);
  }
}

TEST_CASE("outcome_of_run: takes the loss of the last step or none") {
  const Folder folder;
  folder.write("result.json", R"({"steps": 20, "samples": 40, "weights_digest": "w", "samples_per_second": 2000.5, )"
                              R"("step_seconds": 0.25, "peak_memory_bytes": 5})");
  const std::string line = R"({"step": 10, "kind": "train", "loss": 3})";
  folder.write("metrics.jsonl", line + "\n" + R"({"step": 20, "kind": "evaluate", "loss": 7})" + "\n");
  const sweep::Outcome outcome = sweep::outcome_of_run(folder.path, "step_seconds");
  CHECK(outcome.metrics.count("loss") == 0);
  CHECK(outcome.metrics.at("step_seconds") == 0.25);
  CHECK(outcome.metrics.at("samples_per_second") == 2000.5);
  CHECK((outcome.steps == 20 && outcome.samples == 40 && outcome.weights_digest == "w"));
  CHECK(mentions(error_of([&] { sweep::outcome_of_run(folder.path, "loss"); }), "the run to step 20 has no loss"));
  // A start that made no step has no costs: of 0 s a step it would be the best point.
  folder.write("result.json", R"({"steps": 20, "samples": 40, "weights_digest": "w", "samples_per_second": null, )"
                              R"("step_seconds": null, "peak_memory_bytes": 5, "evaluation": {"auc": 0.5}})");
  for (const char* const metric : {"step_seconds", "samples_per_second", "peak_memory_bytes"})
    CHECK(mentions(error_of([&] { sweep::outcome_of_run(folder.path, metric); }),
                   concat("the last start made no step, so ", metric, " is unknown")));
  CHECK(sweep::outcome_of_run(folder.path, "auc").metrics.at("auc") == 0.5);
}

TEST_CASE("order and more_is_better: rank by the metric's own direction") {
  CHECK(sweep::more_is_better("samples_per_second"));
  for (const char* const less : {"step_seconds", "peak_memory_bytes", "loss", "log_loss", "ne", "rmse"}) {
    INFO(less);
    CHECK_FALSE(sweep::more_is_better(less));
  }
  const std::vector<std::vector<double>> values = {{0.4, 0.42}, {0.3, 0.31}, {0.5}, {0.6}};
  const std::vector<sweep::Key> keys = {{"a.x", {"1", "2"}}, {"a.y", {"1", "2"}}};
  CHECK(sweep::order(of_grid(grid(keys, "log_loss"), values)) == std::vector<Index>{1, 0, 2, 3});
  CHECK(sweep::order(of_grid(grid(keys, "auc"), values)) == std::vector<Index>{0, 1, 3, 2});
}

TEST_CASE("state: a point that is ahead of the open rung is started") {
  sweep::Sweep s = of_grid(grid({{"a.x", {"1", "2", "3"}}}), {{0.5}, {}, {0.6}});
  s.runs[2].record.reset();
  const auto standing = s.standing();
  CHECK(standing.open() == 0);
  CHECK(sweep::state(s, standing, 0) == "started");
  CHECK(sweep::state(s, standing, 1) == "started");
  CHECK(sweep::state(s, standing, 2) == "missing");
}

TEST_CASE("summary_json: has shares at the first rung and scales and better values as numbers") {
  std::vector<sweep::Key> keys = {{"a.x", {"1", "2"}}, {"a.y", {"3", "4"}}};
  // At the first rung x alone counts. Among the two points that continued, y counts.
  const sweep::Sweep s = of_grid(grid(keys), {{0.5}, {0.5}, {0.7, 0.7}, {0.7, 0.9}});
  const std::vector<Json> of_keys = parse_json(sweep::summary_json(s).text()).at("keys").elements();
  CHECK(of_keys[0].at("share").number() == Approx(1));
  CHECK(of_keys[1].at("share").number() == Approx(0).margin(1e-12));
  CHECK(of_keys[0].at("better").kind() == Json::Kind::integer);
  CHECK(of_keys[0].at("better").integer() == 2);
  CHECK(of_keys[0].at("scale").string() == "values");

  sweep::Sweep ranges;
  ranges.settings = drawn({range("a.x", 1, 9, true), range("a.y", 1, 9)}, 1);
  ranges.rungs = {30};
  const std::vector<Json> of_ranges = parse_json(sweep::summary_json(ranges).text()).at("keys").elements();
  CHECK(of_ranges[0].at("scale").string() == "log");
  CHECK(of_ranges[1].at("scale").string() == "linear");
}

TEST_CASE("summary_csv: doubles quotes in a cell") {
  const sweep::Sweep s = of_grid(grid({{"a.x", {R"("a \"b\", c")"}}}), {{0.5, 0.5}});
  CHECK(sweep::summary_csv(s) ==
        "index,auc,steps,samples,state,a.x,folder\n0,0.5,30,100,done,\"a \"\"b\"\", c\",runs/p0\n");
}

TEST_CASE("of_other_data: names the points that ended on other data") {
  sweep::Sweep s = of_grid(grid({{"a", {"1", "2", "3", "4", "5"}}}), {{0.1}, {0.2}, {0.3}, {}, {0.4}});
  for (sweep::Run& run : s.runs) run.data_digest = "now";
  for (const Index same : {0, 3}) s.runs[same].record->data_digest = "now";
  for (const Index other : {1, 2}) s.runs[other].record->data_digest = "then";
  s.runs[3].record->data_digest = "then";  // has not ended
  s.runs[4].record->data_digest = "";      // an older program wrote it
  CHECK(sweep::of_other_data(s) == std::vector<Index>{1, 2});
  s.runs[1].data_digest = "";  // the files do not exist: nothing to compare
  CHECK(sweep::of_other_data(s) == std::vector<Index>{2});
  CHECK(sweep::summary_json(s).at("other_data").text() == "[2]");
}
