// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/table_figures.hpp>

namespace tesserec::train {

/// Result of a training run.
struct TrainResult {
  Index steps = 0;                ///< of the whole run, restarts included
  Index samples = 0;              ///< of the whole run
  double loss = 0;                ///< mean over the samples since the last line of metrics.jsonl; where the last step
                                  ///< has a line, that line's value; NaN when this process trained no step
  double samples_per_second = 0;  ///< of this process, evaluation and checkpoints not counted
  double step_seconds = 0;        ///< median of this process's steps; 0 = none
  Index exchange_bytes = 0;       ///< ids, vectors and gradients sent to other ranks, mean of a step, largest rank
  Index between_nodes_bytes = 0;  ///< to other nodes, of these, likewise
  Index peak_memory = 0;          ///< resident bytes of a rank at most, what its node shares included, largest rank
  std::vector<Index> peak_memory_of_ranks;  ///< [rank]
  std::string weights_digest;
  std::string state_digest;
  std::string checkpoint;                              ///< the newest, or empty
  int signal = 0;                                      ///< that ended the run early, or 0
  bool reached_auc = false;                            ///< evaluate.stop_at_auc, which ends it
  bool out_of_patience = false;                        ///< evaluate.patience, which ends it
  Index log_lines_lost = 0;                            ///< that could not be written to stderr, all ranks
  std::vector<std::pair<std::string, double>> phases;  ///< seconds of this rank's steps
  std::optional<metrics::BinaryMetrics> evaluation;    ///< the last one of this process, when there is data for it
  Index evaluation_step = 0;                           ///< steps done when it was made
  std::vector<FeatureIds> evaluation_ids;              ///< of that evaluation's data
  std::vector<TableFigures> tables;
  std::optional<parallel_io::BestEvaluation> best;  ///< with checkpoint.keep_best or evaluate.patience
  std::string best_checkpoint;                      ///< with checkpoint.keep_best: its folder
};

/// Actions of a caller while the run's folder is its own. Called on all ranks.
struct RunHooks {
  /// When nothing stands against the run any more: where it goes on from, and whether a step is left to make.
  std::function<void(const Position&, bool goes_on)> begins = [](const Position&, bool) {};
  /// After each step: what is done by then.
  std::function<void(const Position&)> stepped = [](const Position&) {};
  /// After all else.
  std::function<void(const TrainResult&)> ends = [](const TrainResult&) {};
};

/// Trains `session` on `source` from the newest checkpoint or from the start: logs, evaluates, checkpoints, ends early
/// on a signal. Collective. `evaluation` may be null. Throws Stopped where a signal came before the first step.
TrainResult train(Session& session, data::Source& source, data::Source* evaluation, const RunHooks& hooks = {});

}  // namespace tesserec::train
