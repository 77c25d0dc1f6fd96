// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/deck/deck.hpp>

namespace tesserec::app {

/// What a training run would read, where it can be known now: a generator's, or that of files which exist already.
/// Error where ranks see other files. Collective.
std::optional<data::SourceInfo> known_data(const deck::Deck& deck, const comm::Communicator& comm);

/// The deck's tables as training would have them. Without data: none where the deck has none, and rows 0 where it does
/// not say how many. Errors as train::resolve_tables'.
std::vector<embedding::EmbeddingBagConfig> known_tables(const deck::Deck& deck,
                                                        const std::optional<data::SourceInfo>& info);

/// The layers of the deck's model must fit one another and the data.
void require_network(const deck::Deck& deck, const data::SourceInfo& info);

}  // namespace tesserec::app
