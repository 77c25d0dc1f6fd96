// SPDX-License-Identifier: Apache-2.0
#include "job_watch.hpp"

#include <algorithm>
#include <csignal>

#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::train {

void JobWatch::turn_took(double seconds) { turn_ = std::max(turn_, seconds); }
void JobWatch::checkpoint_took(double seconds) { checkpoint_ = std::max(checkpoint_, seconds); }

int JobWatch::signal() const {
  if (first_ && Signals::received() == 0 && end_.near(turn_, checkpoint_)) {
    log_info(concat("the job ends in ", fixed(end_.left(), 0), " s (SLURM_JOB_END_TIME), and a checkpoint takes ",
                    fixed(checkpoint_, 1), " s"));
    std::raise(SIGUSR1);
  }
  return Signals::received();
}

}  // namespace tesserec::train
