// SPDX-License-Identifier: Apache-2.0
/// run.json and result.json: what a run's folder says of the run (docs/formats.md).
#pragma once

#include <vector>

#include "job.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/train/observer.hpp>
#include <tesserec/train/table_figures.hpp>
#include <tesserec/train/train_result.hpp>

namespace tesserec::app {

/// Makes what --json prints of a training whose start has this time.
Json result_json(const train::Session& session, const train::TrainResult& result, const std::string& start_time);

/// Writes result.json of a run that began in this process and has not ended: "diverged" or "failed", the message and
/// the steps done. Does nothing without such a run. Called by one rank, on any thread; never throws.
void record_failure(const std::string& message, bool diverged = false);

/// Writes both files on the first rank. All but the constructor is collective, and is called while a train::Training
/// holds the run's folder.
class RunRecord final : public train::Observer {
 public:
  /// Reads the deck's text: what it says now is what the run was told.
  RunRecord(const Invocation& invocation, const deck::Deck& deck, const comm::Communicator& comm);
  /// Writes run.json of this start and removes an older result.json; a start without a step to make leaves both alone.
  void begins(train::Training& training) override;
  /// Notes the steps done, for result.json of a run that fails. Not collective.
  void stepped(train::Training& training) override;
  /// result.json.
  void end(const train::Session& session, const Json& result) const;
  /// result.json of a run whose numbers are not finite any more, which is an Error on all ranks.
  void diverged(const comm::Communicator& comm, const std::string& message) const;
  const std::string& start_time() const { return start_; }

 private:
  bool stands_ = false;  // of the first rank: both files are of the start that ended the run
  Json invocation_;      // argv, deck, overrides
  std::string start_;
};

/// A start of one run: `starts` of run.json (docs/formats.md).
struct Start {
  std::string time;
  Index from_step = 0;
  std::string deck;  ///< the effective one
};

/// Returns the starts of the run in `folder`, oldest first, with decks where they differ from the next one's: those of
/// its run.json, then `now`. A run begins anew, with `now` alone, if told so or at step 0 after a run that was done.
/// Called before run.json and result.json are replaced.
Json starts_json(const std::string& folder, const Start& now, bool anew);

/// Makes `tables` of result.json (docs/formats.md).
Json tables_json(const std::vector<train::TableFigures>& tables);

/// Makes `features` of result.json. `files`: whether the samples are of files, whose id 0 means unknown or missing.
Json features_json(const std::vector<train::FeatureIds>& features, bool files);

}  // namespace tesserec::app
