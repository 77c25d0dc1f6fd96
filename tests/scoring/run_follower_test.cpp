// SPDX-License-Identifier: Apache-2.0
// RunFollower: each delta and checkpoint of a run is served with the bits of training, and one that is damaged, missing
// or of another chain changes nothing.
#include <filesystem>
#include <fstream>

#include "scoring/followed_run.hpp"
#include <tesserec/core/file.hpp>

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

void write_manifest(const std::string& folder, const store::Manifest& manifest) {
  fs::remove(folder + "/manifest.json");
  std::ofstream(folder + "/manifest.json") << store::manifest_text(manifest);
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

TEST_CASE("RunFollower: follows a run whose run.json names another folder of checkpoints, and refuses what is no run") {
  FollowedRun run("follow_far");
  const Folder far(run.world(), "follow_far_run");
  fs::create_directories(far.path());
  std::ofstream(far.path() + "/run.json")
      << "{\"checkpoints\": \"" << fs::relative(run.path() + "/checkpoints", far.path()).string() << "\"}";
  scoring::RunFollower follower(run.exec(), far.path(), {});
  run.step();
  REQUIRE(follower.poll());
  CHECK(run.served(follower) == run.trained());
  const auto says = [&](const std::string& path) {
    return error_of([&] { scoring::RunFollower(run.exec(), path, {}); });
  };
  CHECK(mentions(error_of([&] { scoring::ServedModel(run.exec(), run.path()); }),
                 run.path() + " is a run's folder; name its checkpoint " + run.path() + "/checkpoints/step_"));
  const Folder other(run.world(), "follow_no_run");
  fs::create_directories(other.path());
  std::ofstream(other.path() + "/train.h5") << "data";
  CHECK(mentions(says(other.path() + "/train.h5"), "train.h5 is no folder"));
  CHECK(mentions(says(other.path()), "it has neither run.json nor checkpoints, but other files"));
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
  bool read_again = true;  // at each change of the folder
  SECTION("damaged numbers") {
    damage(run.delta(3));
    read_again = false;
  }
  SECTION("a damaged manifest") { std::ofstream(run.delta(3) + "/manifest.json", std::ios::app) << "x"; }
  SECTION("a missing delta") {
    run.step();
    fs::remove_all(run.delta(3));
  }
  SECTION("the numbers of another state") {
    std::string text = read_file(run.delta(2) + "/state.h5");
    std::ofstream(run.delta(3) + "/state.h5", std::ios::binary) << text;
    read_again = false;
  }
  SECTION("a delta without a table's rows") {
    store::Manifest manifest = store::read_manifest(run.delta(3));
    REQUIRE(manifest.datasets.erase("tables/C1/rows") == 1);
    write_manifest(run.delta(3), manifest);
    read_again = false;
  }
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 1);
  CHECK(follower.model().facts().step == 2);
  CHECK(run.served(follower) == whole);
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 1);  // an unchanged folder is left alone
  run.step();
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == (read_again ? 2 : 1));
  CHECK(follower.figures().lost == 0);
  run.save();
  REQUIRE(follower.poll());
  CHECK(run.served(follower) == run.trained());
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
  CHECK(follower.figures().checkpoints == 1);
  CHECK(follower.figures().deltas == 2);  // that of step 2, and the new one
}

TEST_CASE("RunFollower: deltas before the served state are not read again") {
  FollowedRun run("follow_later");
  run.step(2);
  scoring::RunFollower follower(run.exec(), run.path(), {});
  std::ofstream(run.delta(2) + "/manifest.json") << "no manifest";
  run.step();
  REQUIRE(follower.poll());
  CHECK(run.served(follower) == run.trained());
  CHECK(follower.figures().deltas == 3);
}

TEST_CASE("RunFollower: a checkpoint of another model is refused, one that was only trained otherwise is taken") {
  FollowedRun run("follow_other");
  scoring::RunFollower follower(run.exec(), run.path(), {});
  const std::vector<float> served = run.served(follower);
  const Folder folder(run.world(), "follow_others");
  const std::string model = "bottom = [8, 4]\ntop = [8, 1]\n";
  const Trained other(folder, model + "activation = \"tanh\"\n", "");
  fs::copy(other.checkpoint(), run.path() + "/checkpoints/step_000000003", fs::copy_options::recursive);
  CHECK(!follower.poll());
  CHECK(follower.figures().refused == 1);
  CHECK(run.served(follower) == served);
  const Folder again(run.world(), "follow_trained");
  const Trained trained(again, model + "loss_threshold = 0.1\nexchange_backward = \"bf16\"\n", "");
  fs::create_directories(run.path() + "/checkpoints");
  fs::rename(run.path() + "/checkpoints/step_000000003", run.path() + "/refused");
  fs::copy(trained.checkpoint(), run.path() + "/checkpoints/step_000000003", fs::copy_options::recursive);
  REQUIRE(follower.poll());
  CHECK(follower.model().facts().step == 3);
}
