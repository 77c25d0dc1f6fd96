// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/train/job_end.hpp>

namespace tesserec::train {

/// Signals that this rank got. The end of the job is one like any other, while there is time for a checkpoint.
class JobWatch {
 public:
  /// `first`: this rank looks at the clock for all.
  explicit JobWatch(bool first) : first_(first) {}

  /// Takes the seconds between two looks: a step and what fell due after it.
  void turn_took(double seconds);
  void checkpoint_took(double seconds);
  /// Returns the signal, 0 for none.
  int signal() const;

 private:
  const JobEnd end_;
  bool first_;
  double turn_ = 0, checkpoint_ = 0;  // the longest, seconds
};

}  // namespace tesserec::train
