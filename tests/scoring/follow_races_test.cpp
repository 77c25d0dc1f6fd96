// SPDX-License-Identifier: Apache-2.0
// RunFollower while the run changes its folder: states that are removed or replaced between their listing and their
// reading, and the wait for the first checkpoint.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "scoring/changed_while_listed.hpp"
#include "scoring/followed_run.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/core/signals.hpp>

using namespace tesserec;
namespace fs = std::filesystem;

namespace {

void replace_manifest(const std::string& folder, const store::Manifest& manifest) {
  fs::remove(folder + "/manifest.json");
  std::ofstream(folder + "/manifest.json") << store::manifest_text(manifest);
}

}  // namespace

TEST_CASE("RunFollower: a delta that is replaced or removed between its listing and its reading is not taken") {
  FollowedRun run("follow_replaced");
  run.step();
  scoring::RunFollower follower(run.exec(), run.path(), {});
  const std::vector<float> whole = run.trained();
  run.step();
  const std::string three = run.delta(3), kept = run.path() + "/kept";
  std::string manifest;
  const auto poll_while = [&](const std::function<void()>& change) {
    const ChangedWhileListed changed(three, [&](const std::string& text) {
      manifest = text;
      change();
    });
    CHECK(!follower.poll());
  };
  SECTION("removed, again and again") {
    for (int i = 1; i <= 3; ++i) {
      poll_while([&] { fs::rename(three, kept); });
      CHECK(follower.figures().lost == i);
      fs::rename(kept, three);
      fs::remove(three + "/manifest.json");
      std::ofstream(three + "/manifest.json") << manifest;
    }
    CHECK(follower.figures().refused == 0);
  }
  SECTION("by one of the same step that continues another state") {
    store::Manifest other = store::read_manifest(three);
    other.continues->seal = "another";
    poll_while([&] { replace_manifest(three, other); });
    CHECK(follower.figures().refused == 1);
  }
  SECTION("by one of the same step with other numbers") {
    run.step();
    store::Manifest other = store::read_manifest(run.delta(4));
    other.step = 3;
    other.continues = store::read_manifest(three).continues;
    poll_while([&] {
      fs::rename(three, kept);
      fs::rename(run.delta(4), three);
      replace_manifest(three, other);
    });
    CHECK(follower.figures().lost == 1);
    CHECK(follower.figures().refused == 0);
  }
  CHECK(follower.model().facts().step == 2);
  CHECK(run.served(follower) == whole);
  run.save();
  REQUIRE(follower.poll());
  CHECK(run.served(follower) == run.trained());
  CHECK(follower.figures().delay < 1000);
}

TEST_CASE("RunFollower: a delta that is written while the folder is listed is taken by the next poll, not refused") {
  FollowedRun run("follow_late");
  run.step();
  scoring::RunFollower follower(run.exec(), run.path(), {});
  run.step(2);
  const std::string three = run.delta(3), four = run.delta(4), kept = run.path() + "/kept";
  fs::rename(four, kept);
  {
    const ChangedWhileListed changed(three, [&](const std::string& text) {
      fs::remove(three + "/manifest.json");
      std::ofstream(three + "/manifest.json") << text;
      fs::rename(kept, four);
    });
    CHECK(follower.poll());
  }
  CHECK(follower.model().facts().step == 3);
  CHECK(follower.figures().refused == 0);
  CHECK(follower.poll());
  CHECK(follower.model().facts().step == 4);
  CHECK(run.served(follower) == run.trained());
}

TEST_CASE("RunFollower: waits for a run's first checkpoint, also if one is removed meanwhile") {
  FollowedRun run("follow_first");
  const Folder folder(run.world(), "follow_waits");
  const std::string first = folder.path() + "/run/checkpoints/step_000000001", later = folder.path() + "/later";
  fs::create_directories(folder.path() + "/run");
  fs::copy(run.path() + "/checkpoints", later, fs::copy_options::recursive);
  SECTION("that comes later") {
    std::thread coming([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      fs::rename(later, folder.path() + "/run/checkpoints");
    });
    const scoring::RunFollower follower(run.exec(), folder.path() + "/run", {});
    coming.join();
    CHECK(follower.figures().lost == 0);
  }
  SECTION("that is replaced by the next one") {
    fs::copy(later, folder.path() + "/run/checkpoints", fs::copy_options::recursive);
    run.step();
    const std::string second = run.save();
    const ChangedWhileListed changed(first, [&](const std::string&) {
      fs::copy(second, folder.path() + "/run/checkpoints/step_000000002", fs::copy_options::recursive);
      fs::rename(first, folder.path() + "/removed");
    });
    scoring::RunFollower follower(run.exec(), folder.path() + "/run", {});
    CHECK(follower.figures().lost == 1);
    CHECK(run.served(follower) == run.trained());
  }
  SECTION("up to a signal") {
    const Signals signals;
    std::raise(SIGTERM);
    CHECK_THROWS_AS(scoring::RunFollower(run.exec(), folder.path() + "/run", {}), Stopped);
  }
  SECTION("of a run, not of a state") {
    CHECK(mentions(error_of([&] { scoring::RunFollower(run.exec(), later + "/step_000000001", {}); }),
                   "is one state, which does not change; omit --follow"));
  }
}
