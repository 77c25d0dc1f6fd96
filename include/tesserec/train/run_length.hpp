// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/train/checkpoint.hpp>

namespace tesserec::train {

/// Steps and samples of a run. An epoch of data with windows is a window.
struct RunLength {
  /// Computes the last step. `deal`: that of any rank. Throws Error if the number of steps overflows, or for several
  /// epochs of data with windows.
  RunLength(const Settings& train, const data::SourceInfo& data, const data::Deal& deal);

  /// Adds the steps on earlier datasets, made before `from`, to the last step.
  void resume(const Position& from);

  /// Returns the batches of an epoch.
  Index batches(Index epoch) const { return batches_before(epoch + 1) - batches_before(epoch); }
  /// Returns the last step up to which batches of `epoch` may be read ahead. No batch of the next window is read before
  /// the window has been evaluated.
  Index read_until(Index epoch) const;

  Index epoch_samples;  ///< samples of an epoch, or of all windows
  Index begun = 0;      ///< steps on earlier datasets
  Index last;           ///< last step

 private:
  Index batches_before(Index epoch) const;

  Index epoch_batches_;             ///< batches of an epoch, or of all windows
  std::vector<Index> window_ends_;  ///< batches up to the end of each window; empty if the data has none
};

}  // namespace tesserec::train
