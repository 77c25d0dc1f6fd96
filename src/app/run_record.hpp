// SPDX-License-Identifier: Apache-2.0
/// Files run.json and result.json in a run's folder (docs/formats.md).
#pragma once

#include <vector>

#include "job.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/train/observer.hpp>
#include <tesserec/train/table_figures.hpp>
#include <tesserec/train/train_result.hpp>

namespace tesserec::app {

/// Makes the JSON object of a training's result, which --json prints.
Json result_json(const train::Session& session, const train::TrainResult& result, const std::string& start_time);

/// Writes result.json of a run that began in this process and has not ended: "diverged" or "failed", the message and
/// the steps done. Does nothing without such a run. Called on one rank, on any thread. Never throws.
void record_failure(const std::string& message, bool diverged = false);

/// Writer of both files, on rank 0. begins() and end() are called while a train::Training has locked the run's folder.
class RunRecord final : public train::Observer {
 public:
  /// Takes the command line, the deck and its text for run.json. Collective.
  RunRecord(const Invocation& invocation, const deck::Deck& deck, const comm::Communicator& comm);
  /// Writes run.json and removes an older result.json. Leaves both alone after the last step. Collective.
  void begins(train::Training& training) override;
  /// Notes the steps done, for result.json of a run that fails. Not collective.
  void stepped(train::Training& training) override;
  /// Writes result.json. Collective.
  void end(const train::Session& session, const Json& result) const;
  /// Writes result.json of a run whose values are no longer finite. Called on all ranks.
  void diverged(const comm::Communicator& comm, const std::string& message) const;
  /// Returns the time of the start in UTC, "2026-11-24T03:46:29Z".
  const std::string& start_time() const { return start_; }

 private:
  bool files_final_ = false;  // true on rank 0 if both files are those of the start that ended the run
  Json invocation_;           // argv, deck, overrides
  std::string start_;
};

/// Start of a run, an entry of `starts` in run.json (docs/formats.md).
struct Start {
  std::string time;
  Index from_step = 0;
  std::string deck;  ///< effective deck
};

/// Lists the starts of the run in `folder`, oldest first: the starts in its run.json, then `now`. A start has its deck
/// if the next start's deck differs. Lists only `now` if `starts_over`, or at step 0 after a run that was done. Called
/// before run.json and result.json are replaced.
Json starts_json(const std::string& folder, const Start& now, bool starts_over);

/// Makes `tables` of result.json (docs/formats.md).
Json tables_json(const std::vector<train::TableFigures>& tables);

/// Makes `features` of result.json. `files`: whether samples are read from files, whose id 0 means unknown or missing.
Json features_json(const std::vector<train::FeatureIds>& features, bool files);

}  // namespace tesserec::app
