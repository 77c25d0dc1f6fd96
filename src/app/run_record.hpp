// SPDX-License-Identifier: Apache-2.0
/// run.json and result.json: what a run's folder says of the run (docs/formats.md).
#pragma once

#include "job.hpp"
#include <tesserec/train/trainer.hpp>

namespace tesserec::app {

/// What --json prints of a training.
Json result_json(const train::Session& session, const train::TrainResult& result);

/// Writes both files on the first rank. All but the constructor is collective, and belongs inside train::RunHooks.
class RunRecord {
 public:
  /// Reads the deck's text: what it says now is what the run was told.
  RunRecord(const Invocation& invocation, const deck::Deck& deck, const comm::Communicator& comm);
  /// run.json is this start's, and result.json, of an earlier one, goes.
  void begin(const train::Session& session, const train::Position& from) const;
  /// result.json.
  void end(const train::Session& session, const Json& result) const;

 private:
  Json invocation_;  // argv, deck, overrides
  std::string start_;
};

}  // namespace tesserec::app
