// SPDX-License-Identifier: Apache-2.0
// Records on disk, and a sweep's table, CSV and JSON.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/sweep.hpp>

using namespace tesserec;

namespace {

struct Folder {
  const std::string path = "/tmp/tesserec_sweep_test." + std::to_string(::getpid());
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path + "/" + name) << text; }
};

/// Returns a sweep with three points and two rungs: one point is done, one stopped, one diverged.
sweep::Sweep halved() {
  sweep::Sweep s;
  s.deck = "s.toml";
  s.folder = "runs/s";
  s.settings.keys = {{"optimizer.dense.lr", {"0.1", "1.0", "10.0"}}};
  s.settings.halving = {10, 3};
  s.rungs = {10, 30};
  for (const sweep::Point& point : sweep::points(s.settings)) {
    sweep::Run run{point, sweep::label(s.settings, point), "runs/s/p" + std::to_string(s.runs.size()), "d", {}};
    run.record = sweep::Record{std::ssize(s.runs), "d", {}, {}};
    s.runs.push_back(run);
  }
  s.runs[0].record->outcomes = {{10, 1000, "w", "", {{"auc", 0.6}}}};
  s.runs[1].record->outcomes = {{10, 1000, "w", "", {{"auc", 0.7}}}, {30, 3000, "w", "", {{"auc", 0.75}}}};
  s.runs[2].record->outcomes = {{0, 0, "", "the loss is not a number", {}}};
  return s;
}

}  // namespace

TEST_CASE("read_record: returns the written record and throws for another deck's") {
  const Folder folder;
  CHECK_FALSE(sweep::read_record(folder.path, "d"));
  sweep::Record record{7, "d", {"a.x=\"u\""}, {{10, 100, "w", "", {{"auc", 0.1}, {"ne", std::nan("")}}}}};
  record.data_digest = "bytes";
  sweep::write_record(folder.path, record);
  const auto back = sweep::read_record(folder.path, "d");
  REQUIRE(back);
  CHECK(back->index == 7);
  CHECK(back->overrides == record.overrides);
  CHECK(back->data_digest == "bytes");
  REQUIRE(back->outcomes.size() == 1);
  CHECK(back->outcomes[0].metrics.at("auc") == 0.1);
  CHECK(std::isnan(back->outcomes[0].metrics.at("ne")));
  CHECK(error_of([&] {
          sweep::read_record(folder.path, "e");
        }).find("point.json: the folder belongs to another deck") != std::string::npos);
  folder.write("point.json", "{");
  CHECK(error_of([&] { sweep::read_record(folder.path, "d"); }).find("point.json: ") != std::string::npos);
}

TEST_CASE("outcome_of_run: reads result.json and metrics.jsonl") {
  const Folder folder;
  const std::string result =
      R"({"steps": 20, "samples": 40, "weights_digest": "w", "samples_per_second": null, "step_seconds": 1, )"
      R"("peak_memory_bytes": 5, "loss": 1.5, "evaluation": {"auc": 0.8, "step": 20, "samples": 9, "bins": {"samples": [9]}}})";
  CHECK(error_of([&] { sweep::outcome_of_run(folder.path, "auc"); }).find("result.json") != std::string::npos);
  folder.write("result.json", result);
  CHECK(error_of([&] { sweep::outcome_of_run(folder.path, "auc"); }).find("metrics.jsonl") != std::string::npos);
  folder.write("metrics.jsonl", R"({"step": 10, "kind": "train", "loss": 3}
{"step": 20, "kind": "train", "loss": 2}
{"step": 20, "kind": "evaluate", "auc": 0.8}
)");
  const sweep::Outcome outcome = sweep::outcome_of_run(folder.path, "loss");
  CHECK(outcome.metrics.at("loss") == 2);
  CHECK(outcome.metrics.at("auc") == 0.8);
  CHECK(outcome.metrics.count("samples") == 0);
  CHECK(outcome.metrics.count("step") == 0);
  CHECK(error_of([&] { sweep::outcome_of_run(folder.path, "ne"); }) ==
        folder.path +
            ": the run to step 20 has no ne in result.json; remove the folder and train the point again, or "
            "choose another sweep.metric");
  CHECK(mentions(error_of([&] { sweep::outcome_of_run(folder.path, "samples_per_second"); }),
                 "samples_per_second is undefined at step 20"));
  folder.write("metrics.jsonl", R"({"step": 10, "kind": "train", "loss": 3})");  // the run ended between two lines
  CHECK(sweep::outcome_of_run(folder.path, "loss").metrics.at("loss") == 1.5);
}

TEST_CASE("order and state: rank the point with most rungs first and name every state") {
  const sweep::Sweep s = halved();
  CHECK(sweep::order(s) == std::vector<Index>{1, 0, 2});
  const auto standing = s.standing();
  CHECK(sweep::state(s, standing, 0) == "stopped");
  CHECK(sweep::state(s, standing, 1) == "done");
  CHECK(sweep::state(s, standing, 2) == "diverged");
  const std::string text = sweep::summary_text(s);
  CHECK(text.find("3 of 3 points ended, 1 of them stopped, 1 of them diverged") != std::string::npos);
  CHECK(sweep::summary_csv(s) ==
        "index,auc,steps,samples,state,optimizer.dense.lr,folder\n"
        "1,0.75,30,3000,done,1.0,runs/s/p1\n0,0.6,10,1000,stopped,0.1,runs/s/p0\n2,,0,0,diverged,10.0,runs/s/p2\n");
  sweep::Sweep of_texts = s;
  for (sweep::Run& run : of_texts.runs) run.point[0] = "\"sgd, " + run.point[0] + "\"";
  CHECK(sweep::summary_csv(of_texts).find("done,\"sgd, 1.0\",runs/s/p1\n") != std::string::npos);
  const Json json = parse_json(sweep::summary_json(s).text());
  CHECK(json.at("points").elements()[0].at("values").at("optimizer.dense.lr").number() == 0.1);
  CHECK(json.at("points").elements()[2].at("value").kind() == Json::Kind::null);
  CHECK(json.at("ranking").elements()[0].integer() == 1);
  CHECK(json.at("missing").elements().empty());
}

TEST_CASE("state: a point without a record is missing and one without an outcome is started") {
  sweep::Sweep s = halved();
  s.runs[0].record.reset();
  s.runs[1].record->outcomes.clear();
  const auto standing = s.standing();
  CHECK(standing.waiting == std::vector<Index>{0, 1});
  CHECK(sweep::state(s, standing, 0) == "missing");
  CHECK(sweep::state(s, standing, 1) == "started");
  const std::string text = sweep::summary_text(s);
  CHECK(text.find("1 of 3 points ended, 1 of them diverged; missing: index 0; started: index 1") != std::string::npos);
  CHECK(text.find("the rung at step 10 waits for 2 more points") != std::string::npos);

  const Folder folder;  // folder of the started point
  s.runs[1].folder = folder.path;
  folder.write("run.json", "{}");
  {
    const store::FileLock lock(folder.path + "/lock", 0);
    CHECK(sweep::summary_text(s).find(" running ") != std::string::npos);
    CHECK(sweep::summary_csv(s).find(",started,") != std::string::npos);
  }
  CHECK(sweep::summary_text(s).find(" crashed ") != std::string::npos);
}
