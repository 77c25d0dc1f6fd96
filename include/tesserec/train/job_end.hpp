// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <tesserec/core/timer.hpp>
#include <tesserec/train/observer.hpp>

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

/// Stops a training after a signal on any rank. The end of the job is one like any other, while there is time for a
/// checkpoint.
class JobWatch final : public Observer {
 public:
  /// `first`: this rank looks at the clock for all. Error: see JobEnd.
  explicit JobWatch(bool first) : first_(first) {}

  void begins(Training& training) override;
  void steps(Training& training) override;
  void stepped(Training& training) override;
  void saved(Training& training, double seconds) override;

 private:
  int signal() const;

  const JobEnd end_;
  bool first_;
  std::optional<Timer> turn_timer_;   // since the step before began
  double turn_ = 0, checkpoint_ = 0;  // the longest, seconds
};

}  // namespace tesserec::train
