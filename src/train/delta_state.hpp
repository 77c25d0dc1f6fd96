// SPDX-License-Identifier: Apache-2.0
/// State of a delta by name: the rows that training has moved since the state before it, and the whole dense half.
#pragma once

#include <vector>

#include <tesserec/store/checkpoint.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Begins to record which rows training moves, and which ids get or lose one.
void track_moves(const Session& session);
/// Forgets the rows moved so far, because a checkpoint or a delta has them. Does nothing without track_moves().
void clear_moves(const Session& session);

/// Returns this rank's parts of a delta: moved rows in ascending order, their numbers and counts by block, and the
/// dense half. Collective.
std::vector<store::StateItem> delta_items(const Session& session);

/// Reads a delta into the model, which must have the state that the delta continues. Collective.
void read_delta(Session& session, const store::OpenCheckpoint& delta);

}  // namespace tesserec::train
