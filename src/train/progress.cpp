// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/train/progress.hpp>

namespace tesserec::train {

void Progress::show(Index step, Index samples, double loss, bool last) {
  const double seconds = timer_.seconds();
  if (!last && seconds - shown_ < 0.2) return;
  shown_ = seconds;
  const double rest = seconds * double(last_ - step) / double(step - first_);
  const Index whole = rest;
  const auto two_digits = [](Index number) { return right(std::to_string(number), 2, '0'); };
  log_progress(
      concat("step ", step, "/", last_, "  ", fixed(double(samples) / seconds, 0), " samples/s  loss ", fixed(loss, 5),
             "  ", two_digits(whole / 3600), ":", two_digits(whole / 60 % 60), ":", two_digits(whole % 60), " to go"),
      last);
}

}  // namespace tesserec::train
