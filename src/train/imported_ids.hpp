// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matched_tensors.hpp"

namespace tesserec::train {

/// Gives growing tables the ids that are in the file, as those of a run that begins, and their matched weights our
/// order of the rows: by block, then id. Each rank reads all ids: 24 bytes of memory each. Throws Error that names the
/// tensor for an id that stands there twice, and if a block of the table has too few rows. To be called by all ranks.
void take_ids(const Session& session, MatchedTensors& matched);

}  // namespace tesserec::train
