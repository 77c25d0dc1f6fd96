// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::train {

/// The line that a person watches: steps, samples/s, loss, time to go.
class Progress {
 public:
  Progress(Index first_step, Index last_step) : first_(first_step), last_(last_step) {}
  void show(Index step, Index samples, double loss, bool last);

 private:
  Index first_, last_;
  Timer timer_;
  double shown_ = -1e9;
};

}  // namespace tesserec::train
