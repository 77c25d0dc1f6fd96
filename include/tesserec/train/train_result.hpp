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
  std::string checkpoint;    ///< the newest, or empty
  std::string stopped;       ///< why the run ended before its last step: "signal", "auc" (evaluate.stop_at_auc),
                             ///< "patience" (evaluate.patience) or an observer's reason; empty = it did not
  int signal = 0;            ///< that ended the run early, or 0
  Index log_lines_lost = 0;  ///< that could not be written to stderr, all ranks
  std::vector<std::pair<std::string, double>> phases;  ///< seconds of this rank's steps
  std::optional<metrics::BinaryMetrics> evaluation;    ///< the last one of this process, when there is data for it
  Index evaluation_step = 0;                           ///< steps done when it was made
  std::vector<FeatureIds> evaluation_ids;              ///< of that evaluation's data
  std::vector<TableFigures> tables;
  std::optional<parallel_io::BestEvaluation> best;  ///< with checkpoint.keep_best or evaluate.patience
  std::string best_checkpoint;                      ///< with checkpoint.keep_best: its folder
};

}  // namespace tesserec::train
