// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <tesserec/core/log.hpp>
#include <tesserec/train/progress.hpp>

namespace tesserec::train {

void Progress::show(Index step, Index samples, double loss, bool last) {
  const double seconds = timer_.seconds();
  if (!last && seconds - shown_ < 0.2) return;
  shown_ = seconds;
  const double left = seconds * static_cast<double>(last_ - step) / static_cast<double>(step - first_);
  char line[160];
  std::snprintf(line, sizeof line, "step %lld/%lld  %.0f samples/s  loss %.5f  %02d:%02d:%02d to go",
                static_cast<long long>(step), static_cast<long long>(last_), static_cast<double>(samples) / seconds,
                loss, static_cast<int>(left) / 3600, static_cast<int>(left) / 60 % 60, static_cast<int>(left) % 60);
  log_progress(line, last);
}

}  // namespace tesserec::train
