// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/comm/transport_type.hpp>
#include <tesserec/core/index.hpp>
#include <tesserec/core/kernels.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/metrics/settings.hpp>
#include <tesserec/optim/optimizer.hpp>
#include <tesserec/optim/schedule.hpp>

namespace tesserec::train {

/// [run]
struct RunSettings {
  std::string name = "run";
  std::uint64_t seed = 1;
  std::string output;      ///< folder; empty = runs/NAME
  bool overwrite = false;  ///< a run that begins anew, or at an earlier step, may replace the checkpoints of its folder
  double lock_wait = 60;   ///< seconds to wait for another job in the same folder
  Index patience = 600;    ///< seconds after which a rank that has stopped ends the job; 0 = never
  Kernels kernels = Kernels::automatic;                               ///< of tables and layers
  comm::TransportType communicator = comm::TransportType::automatic;  ///< between devices of ranks
  bool share_gpus = false;                                            ///< several ranks may compute on one GPU
  bool graphs = true;  ///< a GPU is given the dense half's kernels as one CUDA graph
  Index part_bytes =
      0;  ///< larger checkpoints, data sets and scores are cut into files of so many bytes; 0 = automatic
  std::string mlperf_log;  ///< file of MlperfLog; empty = none
  std::string mlperf_org = "unnamed", mlperf_platform = "unnamed", mlperf_division = "open",
              mlperf_status = "research";  ///< what its lines say of who submits
  std::string folder() const { return output.empty() ? "runs/" + name : output; }
};

/// [train]
struct Settings {
  Index batch_size = 2048;  ///< global batch G, samples computed at once
  int accumulate = 1;       ///< so many batches, one after the other, move the model once: a power of two
  Index epochs = 1;
  Index steps = 0;  ///< steps of the whole run; 0 = all of the epochs
  int lanes = 0;    ///< of a step, a power of two; 0 = from its samples
  bool shuffle = true;
  bool pipeline = true;              ///< with several ranks: ids of the next batch travel while one computes
  Index log_every = 100;             ///< steps between lines of metrics.jsonl
  std::vector<std::string> metrics;  ///< of the training samples, in those lines
  Index window = 10;                 ///< lines that a window of those metrics spans

  /// Samples of a step.
  Index step_samples() const { return batch_size * accumulate; }
  /// Returns the lanes of a step.
  int lane_count() const { return lanes > 0 ? lanes : Lanes::automatic(step_samples()); }
};

/// [optimizer]
struct OptimizerSettings {
  optim::Settings dense;
  optim::Settings sparse;
  double max_norm = 0;  ///< bound of the length of all gradients of a step together; 0 = none
};

/// [checkpoint]
struct CheckpointSettings {
  Index every_steps = 0;        ///< 0 = only at the end
  Index keep = 2;               ///< newest whole checkpoints that stay; 0 = none is written
  bool keep_best = false;       ///< that of the best evaluation by EvaluateSettings::monitor stays, too
  std::string path;             ///< folder; empty = checkpoints inside the run's folder
  std::string resume = "auto";  ///< "auto", "never" or a path as parallel_io::find_checkpoint takes it
  std::string start_from;       ///< such a path: its weights begin a run that has no checkpoint yet; empty = none
  bool start_states = false;    ///< its optimizer states, too
  bool relane = false;          ///< resume with other lanes: the bits change
  /// Keys in which this deck may differ from the one that a checkpoint was made with; a block stands for all in it.
  std::vector<std::string> accept;
};

/// [evaluate]
struct EvaluateSettings {
  Index every_steps = 0;        ///< evaluate while training; 0 = at the end only
  double stop_at_auc = 0;       ///< training ends with the first of these evaluations that reaches it; 0 = never
  std::string monitor = "auc";  ///< of `metrics`: by which one evaluation is better than another
  Index patience = 0;           ///< training ends after so many evaluations in a row without a better one; 0 = never
  std::vector<std::string> metrics = {"auc", "log_loss", "ne", "calibration", "accuracy"};
  double threshold = 0.5;  ///< a probability from here on is predicted a click
  std::string group;       ///< feature whose id is a sample's group, for metrics of groups; empty = none
  metrics::GroupWeight group_weight = metrics::GroupWeight::samples;
  Index k = 10;  ///< of a group, the highest scores that NDCG and recall@k look at
};

}  // namespace tesserec::train
