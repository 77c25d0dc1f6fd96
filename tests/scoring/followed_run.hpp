// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scoring/trained.hpp"
#include <tesserec/scoring/run_follower.hpp>
#include <tesserec/scoring/scoring_context.hpp>

namespace tesserec {

/// A run that writes a checkpoint after its first step and a delta after each further one.
class FollowedRun {
 public:
  explicit FollowedRun(const std::string& name)
      : FollowedRun(name, [](const Folder& folder) {
          return DeckJob::planted(folder, "bottom = [8, 4]\ntop = [8, 1]\n",
                                  "[checkpoint]\ndelta_seconds = 1e-9\n[optimizer.dense]\nlr = 0.05\n", 10);
        }) {}
  /// Takes the deck of a run in a folder, with features C1, C2 and C3.
  FollowedRun(const std::string& name, const std::function<std::string(const Folder&)>& deck)
      : folder_(world_, name), job_(deck(folder_)) {
    step();
  }

  /// Trains steps, each of which writes its delta.
  void step(int steps = 1) {
    for (int s = 0; s < steps; ++s) REQUIRE(training_->step());
  }
  std::string save() { return training_->save(); }
  std::string path() const { return folder_.path(); }
  std::string delta(Index step) const {
    return folder_.path() + "/checkpoints/step_00000000" + std::to_string(step) + ".delta";
  }
  /// Returns the scores of the model as training has it.
  std::vector<float> trained() {
    std::vector<float> scores;
    job_.each_batch([&](const data::Batch&, const std::vector<float>& probabilities) {
      scores.insert(scores.end(), probabilities.begin(), probabilities.end());
    });
    return scores;
  }
  /// Returns the scores of the same samples by a served model.
  std::vector<float> served(const scoring::ServedModel& model) {
    std::vector<float> scores;
    scoring::ScoringContext context(model);
    job_.each_batch([&](const data::Batch& batch, const std::vector<float>& probabilities) {
      std::vector<scoring::ScoredBags> bags;
      for (Index f = 0; f < 3; ++f)
        bags.push_back(
            {.offsets = batch.sparse.offsets.data() + f * batch.sparse.stride, .ids = batch.sparse.values.data()});
      const auto first = scores.size();
      scores.resize(first + probabilities.size());
      context.score({.samples = batch.size, .dense = batch.dense.data(), .sparse = bags}, scores.data() + first);
    });
    return scores;
  }
  std::vector<float> served(scoring::RunFollower& follower) {
    const scoring::LiveModel::Reader reading(follower.model());
    return served(follower.model().copy(reading.copy()));
  }
  /// Calls body(batch, probabilities) for each batch of those samples.
  template <class Body>
  void each_batch(const Body& body) {
    job_.each_batch(body);
  }
  const Exec& exec() const { return job_.exec; }
  const comm::Communicator& world() const { return world_; }

 private:
  const comm::Communicator world_{MPI_COMM_WORLD};
  const Folder folder_;
  DeckJob job_;
  std::unique_ptr<train::Training> training_ =
      std::make_unique<train::Training>(job_.session(), job_.source(), nullptr);
};

}  // namespace tesserec
