// SPDX-License-Identifier: Apache-2.0
#include "window_evaluation.hpp"

#include "run_log.hpp"
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/training.hpp>

namespace tesserec::train {

void WindowEvaluation::steps(Training& training) {
  const Position& at = training.position();
  const std::vector<data::TimeWindow>& windows = source_.info().windows;
  const bool has_learned = at.step > 0 || !at.origin.empty();
  if (windows.empty() || at.batch > 0 || !has_learned) return;
  const data::TimeWindow& window = windows[at.epoch];
  try {
    const metrics::BinaryMetrics metrics = evaluate(session_, source_, nullptr, at.epoch);
    log_info(concat("step ", at.step, ", before training on ", window.name, " (window ", at.epoch + 1, " of ",
                    windows.size(), "): ", describe(metrics, session_.job.evaluate.metrics)));
    log_.write_window(at, window, metrics);
  } catch (const Stopped& stopped) {  // thrown on all ranks; a resumed run evaluates the window again
    training.stop("signal", stopped.signal());
  }
}

void WindowEvaluation::ends(Training& training, TrainResult& result) {
  if (!source_.info().windows.empty()) result.windows = log_.window_means(training.length().begun);
}

}  // namespace tesserec::train
