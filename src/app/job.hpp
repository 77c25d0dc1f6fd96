// SPDX-License-Identifier: Apache-2.0
/// Conversion of a deck to a job, and functions that the commands with a model share.
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

/// Converts a deck to a job.
train::Job job_of(const deck::Deck& deck);

/// Makes the Session of a job. Errors about a key name the key's line. Collective.
std::unique_ptr<train::Session> make_session(const deck::Deck& deck, const comm::Communicator& comm,
                                             const train::Job& job, const data::SourceInfo& data);

/// Logs the start of a command: versions, ranks, backend, GPU, data, batch, lanes and seed. Collective.
void show_banner(const train::Session& session, const data::SourceInfo& data);

/// Logs a warning for each pair of features that share the rows of a table but not the values of their ids. Collective.
void warn_of_mixed_tables(const comm::Communicator& comm, const std::vector<embedding::EmbeddingBagConfig>& tables,
                          const data::SourceInfo& data);

/// Logs the layers and warns of mixed tables. Called after all checks, so that no error follows the long list.
/// Collective.
void show_model(const train::Session& session);

/// Logs the plan: the shards of each table and their owners.
void show_plan(const train::Session& session);

/// Throws Error if a metric needs groups and the data have no feature evaluate.group with one id per sample on average.
void check_group(const deck::Deck& deck, const data::SourceInfo& data);

/// Adds the metrics `names` to `object`.
void add_metrics(Json& object, const metrics::BinaryMetrics& all, const std::vector<std::string>& names);

/// Logs the AUC of a planted model's truth on the evaluation samples, and its AUC by the rows seen at least 5 times in
/// training alone. Adds both to `json`, with the candidate recall of a pair. Does nothing for other data. Collective.
void add_planted_truth(const comm::Communicator& comm, const train::Job& job, Json& json);

/// Model and evaluation data for evaluate and predict, from the checkpoint of checkpoint.resume or the newest one.
struct LoadedModel {
  /// Loads the model and opens the data of `use`, evaluate or predict. Collective.
  LoadedModel(const deck::Deck& deck, const comm::Communicator& comm, data::Use use);

  train::Job job;
  std::unique_ptr<data::Source> source;
  std::unique_ptr<train::Session> session;
  std::string checkpoint;
};

/// Describes the training data as this process sees them; returns nothing if none exist yet.
std::optional<data::SourceInfo> local_data(const deck::Deck& deck);
/// Describes the training data; returns nothing if none exist yet. Throws Error if ranks see other files. Collective.
std::optional<data::SourceInfo> known_data(const deck::Deck& deck, const comm::Communicator& comm);

/// Returns the deck's tables as training has them. Without `info`, tables whose rows the deck lacks have 0 rows. Throws
/// the Errors of train::resolve_tables.
std::vector<embedding::EmbeddingBagConfig> known_tables(const deck::Deck& deck,
                                                        const std::optional<data::SourceInfo>& info);

/// Throws Error, with the key's line, unless the layers of the deck's model fit each other and the data.
void require_network(const deck::Deck& deck, const data::SourceInfo& info);

}  // namespace tesserec::app
