// SPDX-License-Identifier: Apache-2.0
// LiveModel and what it is made of: copies that change in turn, deltas that must continue, models that differ.
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include "scoring/followed_run.hpp"
#include <tesserec/scoring/model_delta.hpp>

using namespace tesserec;

TEST_CASE("LiveModel: a copy whose change failed takes the active one's numbers before the next change") {
  FollowedRun run("live_undone");
  scoring::LiveModel live(run.exec(), run.path() + "/checkpoints/step_000000001", {});
  std::vector<float> active = run.trained();
  run.step();
  const scoring::ModelDelta two = scoring::read_model_delta(run.exec(), run.delta(2), live.copy(0));
  int calls = 0, switches = 0, failing = 0;
  bool applies = true;
  SECTION("the first copy, half way") { failing = 1; }
  SECTION("the second copy, half way") { failing = 2; }
  SECTION("the second copy, at its begin") {
    failing = 2;
    applies = false;
  }
  const auto change = [&](scoring::ServedModel& model) {
    const bool fails = ++calls == failing;
    if (!fails || applies) model.apply(run.exec(), two);
    if (fails) fail("out of memory");
  };
  CHECK(error_of([&] { live.update(change, true, [&] { ++switches; }); }) == "out of memory");
  CHECK(switches == failing - 1);
  CHECK(live.facts().step == failing);
  if (failing == 2) active = run.trained();
  {
    const scoring::LiveModel::Reader reader(live);
    CHECK(run.served(live.copy(reader.copy())) == active);
  }
  if (failing == 1) live.update([&](scoring::ServedModel& model) { model.apply(run.exec(), two); }, true);
  run.step();
  const scoring::ModelDelta three = scoring::read_model_delta(run.exec(), run.delta(3), live.copy(0));
  live.update([&](scoring::ServedModel& model) { model.apply(run.exec(), three); }, true);
  for (int copy = 0; copy < scoring::LiveModel::copies; ++copy) CHECK(run.served(live.copy(copy)) == run.trained());
}

TEST_CASE("LiveModel: rows that a failed change has written do not stay") {
  FollowedRun run("live_half");
  scoring::LiveModel live(run.exec(), run.path() + "/checkpoints/step_000000001", scoring::ServedFormat::int8);
  run.step();
  const scoring::ModelDelta two = scoring::read_model_delta(run.exec(), run.delta(2), live.copy(0));
  scoring::ModelDelta bad = two;
  bad.tables[0].rows.clear();
  for (Index row = 0; row < live.copy(0).tables()[0].config.rows().size(); ++row) bad.tables[0].rows.push_back(row);
  bad.tables[0].weights.assign(bad.tables[0].rows.size() * 4, 1.0f);
  bad.tables[2].weights[0] = std::numeric_limits<float>::quiet_NaN();
  CHECK(mentions(error_of([&] { live.update([&](auto& model) { model.apply(run.exec(), bad); }, true); }),
                 "it has a number that int8 cannot hold"));
  live.update([&](scoring::ServedModel& model) { model.apply(run.exec(), two); }, true);
  const scoring::ServedModel opened(run.exec(), run.save(), scoring::ServedFormat::int8);
  for (int copy = 0; copy < scoring::LiveModel::copies; ++copy)
    CHECK(run.served(live.copy(copy)) == run.served(opened));
}

TEST_CASE("ServedModel: takes no delta of another state and no checkpoint that replaced the listed one") {
  FollowedRun run("served_chain");
  run.step(2);
  const std::string checkpoint = run.path() + "/checkpoints/step_000000001";
  scoring::ServedModel model(run.exec(), checkpoint);
  const std::vector<float> before = run.served(model);
  const scoring::ModelDelta three = scoring::read_model_delta(run.exec(), run.delta(3), model);
  CHECK(mentions(error_of([&] { model.apply(run.exec(), three); }), "continues a state of step 2, but not that of"));
  CHECK(mentions(error_of([&] { model.read(run.exec(), {.step = 1, .folder = checkpoint, .seal = "another"}); }),
                 "was replaced while it was read"));
  CHECK(run.served(model) == before);
}

TEST_CASE("read_model_delta: refuses a delta of another model of the same sizes") {
  FollowedRun run("served_other");
  run.step();
  const Folder folder(run.world(), "served_others");
  const Trained other(folder, "bottom = [8, 4]\ntop = [8, 1]\nactivation = \"tanh\"\n", "");
  const scoring::ServedModel model(run.exec(), other.checkpoint());
  CHECK(mentions(error_of([&] { scoring::read_model_delta(run.exec(), run.delta(2), model); }),
                 "since model.activation differs; it is served from the run's next checkpoint on"));
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

TEST_CASE("model_difference: names what gives other scores, not what is only trained otherwise") {
  FollowedRun run("model_difference");
  scoring::RunFollower follower(run.exec(), run.path(), {});
  const scoring::TrainedFacts& facts = follower.model().facts();
  const auto difference = [&](const std::function<void(scoring::TrainedFacts&)>& change) {
    scoring::TrainedFacts other = facts;
    change(other);
    return scoring::model_difference(facts, other);
  };
  CHECK(difference([](auto&) {}) == "");
  CHECK(difference([](auto& other) { other.vocabulary = "other"; }) == "the vocabulary");
  CHECK(difference([](auto& other) { std::swap(other.dense_names[0], other.dense_names[1]); }) ==
        "the list of dense features");
  CHECK(difference([](auto& other) {
          other.transforms = {"log1p", "none", "none"};
        }) == "a transform of the dense features");
  CHECK(difference([](auto& other) { ++other.features[1].ids; }) == "a feature of the data");
  const auto deck = [&](const std::string& from, const std::string& to) {
    return difference([&](auto& other) {
      const auto at = other.deck.find(from);
      REQUIRE(at != std::string::npos);
      other.deck.replace(at, from.size(), to);
    });
  };
  CHECK(deck("activation = \"relu\"", "activation = \"tanh\"") == "model.activation");
  CHECK(deck("loss_threshold = 0.0", "loss_threshold = 0.125") == "");
  const auto table = [&](const std::string& keys) {
    return [deck = facts.deck + "\n[[table]]\nname = \"C1\"\n" + keys](auto& other) { other.deck = deck; };
  };
  scoring::TrainedFacts plain = facts;
  table("")(plain);
  const auto of_table = [&](const std::string& keys) {
    scoring::TrainedFacts other = facts;
    table(keys)(other);
    return scoring::model_difference(plain, other);
  };
  CHECK(of_table("pooling = \"mean\"\n") == "table.C1.pooling");
  CHECK(of_table("optimizer = {type = \"adagrad\", lr = 0.125}\nstart = \"one\"\n") == "");
}
