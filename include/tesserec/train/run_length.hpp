// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/train/checkpoint.hpp>

namespace tesserec::train {

/// Steps and samples of a run.
struct RunLength {
  /// Computes the last step. An epoch has `samples` samples in `batches` batches. Throws Error if the number of steps
  /// overflows.
  RunLength(const Settings& train, Index samples, Index batches);

  /// Adds the steps on earlier datasets, made before `from`, to the last step.
  void resume(const Position& from);

  Index epoch_samples;
  Index batches;    ///< batches of an epoch
  Index begun = 0;  ///< steps on earlier datasets
  Index last;       ///< last step
};

}  // namespace tesserec::train
