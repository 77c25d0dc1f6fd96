// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <tesserec/core/timer.hpp>
#include <tesserec/train/observer.hpp>

namespace tesserec::train {

/// Time at which the scheduler ends this job: SLURM_JOB_END_TIME, seconds since 1970. Newer versions of Slurm set it;
/// runs/train.sbatch sets it under older ones. The time is infinite if the variable is unset or empty.
class JobEnd {
 public:
  /// Reads the variable. Throws Error if it is not a number.
  JobEnd();

  /// Returns the seconds left; infinity if no scheduler ends the job.
  double seconds_left() const;

  /// Returns whether the time left may be too short for the time between two looks, a checkpoint and the end of the
  /// program. The arguments are the longest seconds so far between looks and of a checkpoint.
  bool is_near(double between_looks, double checkpoint) const;

 private:
  double end_;
};

/// Observer that stops a training after a signal on any rank. It treats the approaching end of the job as a signal,
/// while there is time for a checkpoint.
class JobWatch final : public Observer {
 public:
  /// Takes whether this rank watches the clock for all ranks (`first`). Throws the Errors of JobEnd.
  explicit JobWatch(bool first) : first_(first) {}

  void begins(Training& training) override;
  void steps(Training& training) override;
  void stepped(Training& training) override;
  void saved(Training& training, double seconds) override;

 private:
  int signal() const;

  const JobEnd end_;
  bool first_;
  std::optional<Timer> turn_timer_;   // time since the previous step began
  double turn_ = 0, checkpoint_ = 0;  // longest times so far, seconds
};

}  // namespace tesserec::train
