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

/// Block [run].
struct RunSettings {
  std::string name = "run";
  std::uint64_t seed = 1;
  std::string output;      ///< folder; empty = runs/NAME
  bool overwrite = false;  ///< true if a run that begins anew, or at an earlier step, may replace the checkpoints of
                           ///< its folder
  double lock_wait = 60;   ///< seconds to wait for another job in the same folder
  Index patience = 600;    ///< seconds after which a stalled rank ends the job; 0 = never
  Kernels kernels = Kernels::automatic;                               ///< kernels of tables and layers
  comm::TransportType communicator = comm::TransportType::automatic;  ///< transport between ranks' devices
  bool share_gpus = false;                                            ///< true if several ranks may compute on one GPU
  bool graphs = true;      ///< true if a GPU runs the dense half's kernels as one CUDA graph
  Index part_bytes = 0;    ///< bytes above which checkpoints, datasets and scores are cut into files; 0 = automatic
  std::string mlperf_log;  ///< file of MlperfLog; empty = none
  std::string mlperf_org = "unnamed", mlperf_platform = "unnamed", mlperf_division = "open",
              mlperf_status = "research";  ///< submitter's facts in the lines of MlperfLog
  /// Returns the run's folder.
  std::string folder() const { return output.empty() ? "runs/" + name : output; }
};

/// Block [train].
struct Settings {
  Index batch_size = 2048;  ///< global batch G, samples computed at once
  int accumulate = 1;       ///< batches per update of the model, a power of two
  Index epochs = 1;
  Index steps = 0;  ///< steps of the whole run; 0 = all of the epochs
  int lanes = 0;    ///< lanes of a step, a power of two; 0 = from its samples
  bool shuffle = true;
  bool pipeline = true;              ///< true if, with several ranks, ids of the next batch travel while one computes
  Index log_every = 100;             ///< steps between lines of metrics.jsonl
  std::vector<std::string> metrics;  ///< metrics of the training samples in those lines
  Index window = 10;                 ///< lines that a window of those metrics spans

  /// Returns the samples of a step.
  Index step_samples() const { return batch_size * accumulate; }
  /// Returns the lanes of a step.
  int lane_count() const { return lanes > 0 ? lanes : Lanes::automatic(step_samples()); }
};

/// Block [optimizer].
struct OptimizerSettings {
  optim::Settings dense;
  optim::Settings sparse;
  double max_norm = 0;  ///< bound of the L2 norm of all gradients of a step together; 0 = none
};

/// Block [checkpoint].
struct CheckpointSettings {
  Index every_steps = 0;        ///< steps between checkpoints; 0 = only at the end
  double delta_seconds = 0;     ///< seconds between deltas, which hold the changes since the one before; 0 = none
  bool keep_deltas = false;     ///< true = keeps the deltas that continue a kept checkpoint
  bool check_memory = false;    ///< true = rows that have not moved are compared before each checkpoint and delta
  Index keep = 2;               ///< number of newest whole checkpoints kept; 0 = none is written
  bool keep_best = false;       ///< true = keeps the checkpoint of the best evaluation (EvaluateSettings::monitor), too
  std::string path;             ///< folder; empty = checkpoints inside the run's folder
  std::string resume = "auto";  ///< "auto", "never" or a path as parallel_io::find_checkpoint takes it
  std::string start_from;       ///< path to a checkpoint whose weights begin a run that has no checkpoint yet; empty =
                                ///< none
  bool start_states = false;    ///< true = begins with the optimizer states of start_from, too
  bool relane = false;          ///< true = resumes with other lanes, which changes the bits
  /// Keys in which this deck may differ from a checkpoint's deck. A block stands for all of its keys.
  std::vector<std::string> accept;
};

/// Block [[import]]: where `tesserec import` finds one tensor of the model.
struct ImportedTensor {
  std::string name;        ///< our name, "tables.user.weight" or "dense.top.0.weight"
  std::string from;        ///< name in the file
  bool transpose = false;  ///< true if the file has columns as rows
};

/// Block [evaluate].
struct EvaluateSettings {
  Index every_steps = 0;        ///< steps between evaluations while training; 0 = at the end only
  double stop_at_auc = 0;       ///< AUC that ends the training at the first of these evaluations to reach it; 0 = never
  std::string monitor = "auc";  ///< metric, out of `metrics`, by which evaluations are compared
  std::string task;             ///< label whose metrics are compared; empty = means over all labels
  Index patience = 0;           ///< evaluations in a row without a better one after which training ends; 0 = never
  std::vector<std::string> metrics = {"auc", "log_loss", "ne", "calibration", "accuracy"};
  double threshold = 0.5;  ///< probability from which a click is predicted
  std::string group;       ///< feature whose id is a sample's group, for metrics of groups; empty = none
  metrics::GroupWeight group_weight = metrics::GroupWeight::samples;
  Index k = 10;  ///< number of a group's highest scores for NDCG and recall@k
};

}  // namespace tesserec::train
