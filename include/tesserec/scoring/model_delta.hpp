// SPDX-License-Identifier: Apache-2.0
/// Changes that a delta of a run makes to a served model: the weights alone, without states of optimizers.
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/store/checkpoint.hpp>

namespace tesserec::scoring {

class ServedModel;

/// Weights of a delta, in memory.
struct ModelDelta {
  Index step = 0;
  std::string file;            ///< state.h5 of the delta, for messages
  std::string seal;            ///< seal of that file
  store::Continued continues;  ///< state that the delta continues
  /// Moved rows of a table.
  struct NewRows {
    std::vector<Index> rows;          ///< numbers of the rows, ascending; of a growing table ids, by block, then id
    std::vector<float> weights;       ///< [rows, dim]
    std::vector<Index> evicted = {};  ///< ids of a growing table that have lost their row
  };
  std::vector<NewRows> tables;    ///< of each of ServedModel::tables()
  std::vector<float> parameters;  ///< of the network, in its layout
};

/// Reads the delta in `folder` and compares it with its manifest, seals and checksums. Throws Error if the delta is
/// missing or damaged, or is of another model, as model_difference() says.
ModelDelta read_model_delta(const Exec& exec, const std::string& folder, const ServedModel& model);

}  // namespace tesserec::scoring
