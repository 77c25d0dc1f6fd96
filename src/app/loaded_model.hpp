// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "job.hpp"
#include <tesserec/data/source.hpp>

namespace tesserec::app {

/// The model of a checkpoint and the evaluation data of a deck: what evaluate and predict start from. The checkpoint is
/// the one that checkpoint.resume names (a path, or "best"), or the run's newest.
struct LoadedModel {
  /// `use`: evaluate or predict.
  LoadedModel(const deck::Deck& deck, const comm::Communicator& comm, data::Use use);

  train::Job job;
  std::unique_ptr<data::Source> source;
  std::unique_ptr<train::Session> session;
  std::string checkpoint;
};

}  // namespace tesserec::app
