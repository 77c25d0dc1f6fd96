// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <tesserec/data/source.hpp>
#include <tesserec/deck/deck.hpp>

namespace tesserec::app {

/// What a training run would read, where it can be known now: a generator's, or that of files which exist already.
std::optional<data::SourceInfo> known_data(const deck::Deck& deck);

}  // namespace tesserec::app
