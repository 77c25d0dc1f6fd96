// SPDX-License-Identifier: Apache-2.0
/// How long a run is, and which settings do nothing in one so long.
#pragma once

#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/job.hpp>

namespace tesserec::train {

/// Steps and samples of a run.
struct RunLength {
  /// An epoch has `samples` samples in `batches` batches. Error: the steps cannot be counted.
  RunLength(const Settings& train, Index samples, Index batches);

  /// Steps on earlier data sets.
  Index begun(const Position& at) const { return at.step - (at.epoch * batches + at.batch); }

  Index epoch_samples;
  Index batches;
  Index last;  ///< step
};

/// Warns of settings of the rate and of evaluations that do nothing in a run of so many steps.
void warn_of_idle_settings(const Job& job, Index last, bool evaluates);

}  // namespace tesserec::train
