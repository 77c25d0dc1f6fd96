// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec::train {

/// When the scheduler ends this job: SLURM_JOB_END_TIME, seconds since 1970, which newer Slurms set, and
/// runs/train.sbatch under older ones. Never, where it is not set or empty.
class JobEnd {
 public:
  /// Error where the variable is no number.
  JobEnd();

  /// Seconds that are left; infinity where nobody ends the job.
  double left() const;

  /// Returns whether the time left may not hold what lies between two looks, a checkpoint, and the end of the program.
  /// Takes the longest seconds that the first two have taken.
  bool near(double between_looks, double checkpoint) const;

 private:
  double end_;
};

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
