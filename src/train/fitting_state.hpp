// SPDX-License-Identifier: Apache-2.0
/// What of a checkpoint fits a model that is not quite the one that wrote it.
#pragma once

#include <string>
#include <vector>

#include <tesserec/store/state.hpp>

namespace tesserec::train {

/// A matrix of the model that nothing in the checkpoint fits.
struct Unfit {
  std::string name;
  std::string shapes;  ///< "8 x 4, here 16 x 4"
};

struct FittingState {
  std::vector<store::StateItem> items;  ///< to be read; of a table that has grown, the rows that the checkpoint has
  std::vector<std::string> grown;       ///< "C1 (1000 rows, 20 more here)"
  std::vector<Unfit> fresh;             ///< begin as in a new run
  std::vector<std::string> unused;      ///< of the checkpoint; its states only where the items have some
};

/// Selects this rank's `items` that the checkpoint's `then` has in shape, or, of a table, with fewer rows; states only
/// with their weights. `now`: shapes of all ranks' items, so that all get the same lists.
FittingState fitting_state(std::vector<store::StateItem> items, const store::StateRecords& now,
                           const store::StateRecords& then);

/// Returns whether a matrix is one of weights, not of an optimizer's states.
bool is_of_weights(const std::string& name);

}  // namespace tesserec::train
