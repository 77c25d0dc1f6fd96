// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/metrics/binary.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/table_figures.hpp>

namespace tesserec::train {

/// Means over the windows that were evaluated before the model was trained on them, weighted by their samples.
struct WindowMeans {
  Index windows = 0;
  Index samples = 0;
  std::vector<std::pair<std::string, double>> metrics;  ///< NaN if no window has a finite value
  std::vector<Index> defined = {};                      ///< windows with a finite value, of each metric
};

/// Result of a training run.
struct TrainResult {
  Index steps = 0;                ///< steps of the whole run, restarts included
  Index samples = 0;              ///< samples of the whole run
  double loss = 0;                ///< mean loss of the samples since the last line of metrics.jsonl, or of that line if
                                  ///< the last step has one; NaN if this process trained no step
  double samples_per_second = 0;  ///< training rate of this process, evaluation and checkpoints not counted
  double step_seconds = 0;        ///< median time of this process's steps, seconds; 0 = no step
  Index exchange_bytes = 0;       ///< bytes of ids, vectors and gradients sent to other ranks, mean of a step, largest
                                  ///< rank
  Index between_nodes_bytes = 0;  ///< share of exchange_bytes sent to other nodes
  Index peak_memory = 0;          ///< peak resident bytes of a rank, shares of its node included, largest rank
  std::vector<Index> peak_memory_of_ranks;  ///< peak memory of each rank [rank], bytes
  std::string weights_digest;
  std::string state_digest;
  std::string checkpoint;    ///< folder of the newest checkpoint, or empty
  std::string stopped;       ///< reason for an end before the last step, "signal", "auc" (evaluate.stop_at_auc),
                             ///< "patience" (evaluate.patience) or an observer's; empty = no such end
  int signal = 0;            ///< signal that ended the run early, or 0
  Index log_lines_lost = 0;  ///< lines that could not be written to stderr, all ranks
  std::vector<std::pair<std::string, double>> phases;  ///< seconds of this rank's steps, by phase
  std::optional<metrics::BinaryMetrics> evaluation;    ///< last evaluation of this process, if there is data for it
  Index evaluation_step = 0;                           ///< steps done before that evaluation
  std::vector<FeatureIds> evaluation_ids;              ///< id counts of that evaluation's data
  std::optional<WindowMeans> windows;                  ///< first rank only, if the data has windows
  std::vector<TableFigures> tables;
  std::optional<parallel_io::BestEvaluation> best;  ///< best evaluation, with checkpoint.keep_best or evaluate.patience
  std::string best_checkpoint;                      ///< folder of the best evaluation's checkpoint, with
                                                    ///< checkpoint.keep_best
};

}  // namespace tesserec::train
