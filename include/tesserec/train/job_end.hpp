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

  /// Whether the time left may not hold what lies between two looks, a checkpoint, and the end of the program. Takes
  /// the longest seconds that the first two have taken.
  bool near(double between_looks, double checkpoint) const;

 private:
  double end_;
};

}  // namespace tesserec::train
