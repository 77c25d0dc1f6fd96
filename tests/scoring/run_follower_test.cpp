// SPDX-License-Identifier: Apache-2.0
// RunFollower: each delta and checkpoint of a run is served with the bits of training, and one that is damaged, missing
// or of another chain changes nothing.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "scoring/followed_run.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/scoring/model_delta.hpp>

using namespace tesserec;
namespace fs = std::filesystem;

namespace {

/// Changes a byte in the middle of a delta's numbers.
void damage(const std::string& delta) {
  std::string largest;
  for (const fs::directory_entry& file : fs::directory_iterator(delta))
    if (file.path().extension() == ".h5" && (largest.empty() || file.file_size() > fs::file_size(largest)))
      largest = file.path().string();
  std::fstream file(largest, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = std::streamoff(fs::file_size(largest) / 2);
  file.seekg(middle);
  const char byte = char(file.get());
  file.seekp(middle);
  file.put(char(byte ^ 1));
}

}  // namespace

TEST_CASE("RunFollower: serves each delta and checkpoint of a run with the bits of training") {
  FollowedRun run("follow");
  run.step();  // a checkpoint of step 1, and a delta
  scoring::RunFollower follower(run.exec(), run.path(), {});
  CHECK(follower.model().facts().step == 2);
  CHECK(run.served(follower) == run.trained());
  CHECK(!follower.poll());
  for (int s = 0; s < 3; ++s) {
    run.step();
    REQUIRE(follower.poll());
    CHECK(run.served(follower) == run.trained());
    for (int copy = 0; copy < scoring::LiveModel::copies; ++copy)
      CHECK(run.served(follower.model().copy(copy)) == run.trained());
  }
  run.step(2);
  run.save();  // removes the deltas of both steps
  run.step();
  REQUIRE(follower.poll());
  CHECK(follower.model().facts().step == 8);
  CHECK(follower.model().facts().seal == store::read_manifest(run.delta(8)).state);
  for (int copy = 0; copy < scoring::LiveModel::copies; ++copy)
    CHECK(run.served(follower.model().copy(copy)) == run.trained());
  const scoring::FollowFigures figures = follower.figures();
  CHECK(figures.deltas == 5);  // steps 2 to 5, and 8
  CHECK(figures.checkpoints == 1);
  CHECK(figures.refused == 0);
  CHECK(figures.delay >= 0);
}

TEST_CASE("RunFollower: rows of other formats are those of a model that is opened with the format") {
  FollowedRun run("follow_int8");
  scoring::RunFollower follower(run.exec(), run.path(), scoring::ServedFormat::int8);
  run.step(3);
  REQUIRE(follower.poll());
  const std::vector<float> by_deltas = run.served(follower);
  CHECK(by_deltas != run.trained());
  const scoring::ServedModel opened(run.exec(), run.save(), scoring::ServedFormat::int8);
  CHECK(by_deltas == run.served(opened));
}

TEST_CASE(
    "RunFollower: a damaged or missing delta, or one of another chain, changes nothing up to the next checkpoint") {
  FollowedRun run("follow_broken");
  run.step();
  scoring::RunFollower follower(run.exec(), run.path(), {});
  const std::vector<float> whole = run.trained();
  run.step();
  SECTION("damaged numbers") { damage(run.delta(3)); }
  SECTION("a damaged manifest") { std::ofstream(run.delta(3) + "/manifest.json", std::ios::app) << "x"; }
  SECTION("a missing delta") {
    run.step();
    fs::remove_all(run.delta(3));
  }
  SECTION("the seal of another state") {
    std::string text = read_file(run.delta(3) + "/state.h5");
    run.step();
    fs::remove_all(run.delta(3));
    fs::copy(run.delta(4), run.delta(3), fs::copy_options::recursive);
    std::ofstream(run.delta(3) + "/state.h5", std::ios::binary) << text;
  }
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 1);
  CHECK(follower.model().facts().step == 2);
  for (int copy = 0; copy < scoring::LiveModel::copies; ++copy) CHECK(run.served(follower.model().copy(copy)) == whole);
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 1);  // an unchanged folder is left alone
  run.step();
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 2);
  run.save();
  REQUIRE(follower.poll());
  CHECK(run.served(follower) == run.trained());
}

TEST_CASE("LiveModel: a change that fails half way is undone") {
  FollowedRun run("live_undone");
  scoring::LiveModel live(run.exec(), run.path() + "/checkpoints/step_000000001", {});
  const std::vector<float> before = run.trained();
  run.step();
  const scoring::ModelDelta delta = scoring::read_model_delta(run.exec(), run.delta(2), live.copy(0));
  const auto half = [&](scoring::ServedModel& model) {
    model.apply(run.exec(), delta);
    fail("a number does not fit");
  };
  CHECK(error_of([&] { live.update(half, true); }) == "a number does not fit");
  CHECK(live.facts().step == 1);
  for (int copy = 0; copy < scoring::LiveModel::copies; ++copy) CHECK(run.served(live.copy(copy)) == before);
}

TEST_CASE("LiveModel: the copy that a reader has is changed once the reader has left") {
  FollowedRun run("live_reader");
  scoring::LiveModel live(run.exec(), run.path() + "/checkpoints/step_000000001", {});
  auto reader = std::make_unique<scoring::LiveModel::Reader>(live);
  std::atomic<int> changed = 0;
  std::thread updating([&] { live.update([&](scoring::ServedModel&) { ++changed; }, true); });
  while (scoring::LiveModel::Reader(live).copy() == reader->copy()) std::this_thread::yield();  // up to the switch
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(changed == 1);
  reader.reset();
  updating.join();
  CHECK(changed == 2);
}

TEST_CASE("RunFollower: a chain that was written again is taken from its checkpoint") {
  FollowedRun run("follow_again");
  run.step();
  const Folder copy(run.world(), "follow_passed");
  fs::copy(run.path(), copy.path(), fs::copy_options::recursive);
  scoring::RunFollower follower(run.exec(), copy.path(), {});
  // The copy gets a state of step 3 that continues the checkpoint, as by a run that lost the delta of step 2.
  const std::string two = copy.path() + run.delta(2).substr(run.path().size()),
                    three = copy.path() + run.delta(3).substr(run.path().size());
  fs::remove_all(two);
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 1);
  fs::copy(run.delta(2), three, fs::copy_options::recursive);
  store::Manifest manifest = store::read_manifest(three);
  manifest.step = 3;
  std::ofstream(three + "/manifest.json") << store::manifest_text(manifest);
  REQUIRE(follower.poll());
  CHECK(follower.model().facts().step == 3);
  CHECK(run.served(follower) == run.trained());
}

TEST_CASE("RunFollower: a run without a checkpoint, or with a model of another shape, is refused") {
  FollowedRun run("follow_none");
  CHECK(mentions(error_of([&] { scoring::RunFollower(run.exec(), run.path() + "/none", {}); }),
                 "there is no whole checkpoint to serve"));
  scoring::RunFollower follower(run.exec(), run.path(), {});
  const std::vector<float> served = run.served(follower);
  const Folder folder(run.world(), "follow_other");
  const Trained other(folder, "bottom = [8, 4]\ntop = [9, 1]\n", "");
  fs::copy(other.checkpoint(), run.path() + "/checkpoints/step_000000003", fs::copy_options::recursive);
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 1);
  for (int copy = 0; copy < scoring::LiveModel::copies; ++copy)
    CHECK(run.served(follower.model().copy(copy)) == served);
}
