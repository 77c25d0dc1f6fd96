// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/train/checkpoint.hpp>

namespace tesserec::train {

/// Steps and samples of a run.
struct RunLength {
  /// An epoch has `samples` samples in `batches` batches. Error: the steps cannot be counted.
  RunLength(const Settings& train, Index samples, Index batches);

  /// Adds the steps that were made on earlier data sets before `from`.
  void go_on(const Position& from);

  Index epoch_samples;
  Index batches;    ///< of an epoch
  Index begun = 0;  ///< steps on earlier data sets
  Index last;       ///< step
};

}  // namespace tesserec::train
