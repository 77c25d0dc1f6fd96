// SPDX-License-Identifier: Apache-2.0
/// From a deck to a job, and what all commands that run a model share.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "command.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/deck/deck.hpp>
#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::app {

train::Job job_of(const deck::Deck& deck);

/// A Session; its errors that are of a key name the key's line. Collective.
std::unique_ptr<train::Session> make_session(const deck::Deck& deck, const comm::Communicator& comm,
                                             const train::Job& job, const data::SourceInfo& data);

/// Logs what a command begins with: ranks, backend, libraries, data, lanes, seed.
void show_banner(const train::Session& session, const data::SourceInfo& data);

/// Logs the layers. For when nothing can refuse the start any more: an error should not stand below a long list.
void show_model(const train::Session& session);

/// Logs which rank holds what of each table.
void show_plan(const train::Session& session);

/// Error unless the data have the feature evaluate.group, with one id a sample on average, where a metric needs it.
void check_group(const deck::Deck& deck, const data::SourceInfo& data);

/// The metrics that the deck asks for, as members of `object`.
void add_metrics(Json& object, const metrics::BinaryMetrics& all, const std::vector<std::string>& names);

/// Logs the AUC that a planted model's truth reaches on the evaluation samples, and on those whose rows were seen at
/// least 5 times in training. Adds both to `json`. Does nothing for other data. Collective.
void add_planted_truth(const comm::Communicator& comm, const train::Job& job, Json& json);

/// Model and evaluation data for evaluate and predict, from the checkpoint that checkpoint.resume names or the newest.
struct LoadedModel {
  /// `use`: evaluate or predict.
  LoadedModel(const deck::Deck& deck, const comm::Communicator& comm, data::Use use);

  train::Job job;
  std::unique_ptr<data::Source> source;
  std::unique_ptr<train::Session> session;
  std::string checkpoint;
};

/// Describes the data of a training run if they are known now. Error where ranks see other files. Collective.
std::optional<data::SourceInfo> known_data(const deck::Deck& deck, const comm::Communicator& comm);

/// Returns the deck's tables as training has them. Without data: none where the deck has none, rows 0 where it gives
/// none. Errors: train::resolve_tables'.
std::vector<embedding::EmbeddingBagConfig> known_tables(const deck::Deck& deck,
                                                        const std::optional<data::SourceInfo>& info);

/// The layers of the deck's model must fit one another and the data.
void require_network(const deck::Deck& deck, const data::SourceInfo& info);

}  // namespace tesserec::app
