// SPDX-License-Identifier: Apache-2.0
/// From a deck to a job, and what all commands that run a model share.
#pragma once

#include <memory>

#include "command.hpp"
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

}  // namespace tesserec::app
