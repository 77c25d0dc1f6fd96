// SPDX-License-Identifier: Apache-2.0
// Folders that are no runs, and files that the program did not write.
#include "catch.hpp"
#include "errors.hpp"
#include "made_runs.hpp"
#include <tesserec/report/report.hpp>

TEST_CASE("make_page: throws with what to give if a folder is no run") {
  const Folder folder;
  const auto refused = [&](const std::string& expected) {
    const std::string error = error_of([&] { report::make_page({folder.path + "/x"}); });
    INFO(error);
    CHECK(mentions(error, expected));
    CHECK(mentions(error, folder.path + "/x"));
  };
  refused("no such folder");
  std::filesystem::create_directory(folder.path + "/x");
  refused("the folder has no metrics.jsonl; give the folder of a run");
  refused("or for a sweep run `tesserec sweep collect DECK` first");
  write(folder.path + "/x/metrics.jsonl", "");
  refused("the file has no whole line");
  write(folder.path + "/x/metrics.jsonl", "{\"step\": 1}\n");
  refused("metrics.jsonl:1: \"kind\" is missing");
  write_metrics(folder.path + "/x", 2);
  write(folder.path + "/x/result.json", "[1]");
  refused("result.json: [1] is not an object");
  write(folder.path + "/x/sweep.json", "{}");
  refused("sweep.json: \"metric\" is missing");
}

TEST_CASE("make_page: throws with file and member if JSON is not as the program writes it") {
  const Folder folder;
  const std::string run = folder.path + "/x";
  struct Case {
    const char *file, *text, *error;
  };
  for (const Case& bad :
       {Case{"run.json", R"({"plan": {}})", "plan: \"ranks\" is missing"},
        {"run.json", R"({"memory_bytes": {"weights": 3}})", "memory_bytes: 3 is not a list"},
        {"run.json", R"({"memory_bytes": {"weights": [null]}})", "memory_bytes: null is not a number"},
        {"run.json", R"({"hosts": [{"ranks": 1}]})", "hosts: \"name\" is missing"},
        {"run.json", R"({"deck": "a", "argv": 3})", "argv: 3 is not a list"},
        {"result.json", R"({"evaluation": {"bins": {}}})", "evaluation.bins: \"samples\" is missing"},
        {"result.json", R"({"step_seconds": 1, "phase_seconds": 3})", "phase_seconds: 3 is not an object"},
        {"point.json", R"({"outcomes": [{}]})", "outcomes: \"diverged\" is missing"}}) {
    std::filesystem::remove_all(run);
    write_metrics(run, 2);
    write(run + "/" + bad.file, bad.text);
    CHECK(error_of([&] { report::make_page({run}); }) ==
          run + "/" + bad.file + ": " + bad.error + "; the file is not as the program writes it, so move it away");
  }
}
