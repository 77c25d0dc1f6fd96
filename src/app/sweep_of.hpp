// SPDX-License-Identifier: Apache-2.0
/// From a deck with a [sweep] to its points and their folders.
#pragma once

#include "command.hpp"
#include <tesserec/sweep/sweep.hpp>

namespace tesserec::app {

/// Every point's deck is read, so an Error names the line of a key that a point gets wrong. Of a point's folder its
/// record is read; those of other decks are refused.
sweep::Sweep sweep_of(const Invocation& invocation);

/// `tesserec train` of a point to a rung: the deck with the point's values, in the point's folder.
Invocation training_of(const Invocation& invocation, const sweep::Sweep& sweep, Index point, std::size_t rung);

/// The INDEX of the command line. Error unless it is one of the sweep's.
Index point_of(const Invocation& invocation, const sweep::Sweep& sweep);

}  // namespace tesserec::app
