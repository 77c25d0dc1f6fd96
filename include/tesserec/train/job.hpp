// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/settings.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/model/settings.hpp>
#include <tesserec/planning/settings.hpp>
#include <tesserec/train/settings.hpp>

namespace tesserec::train {

/// Settings of a training, evaluation or prediction.
struct Job {
  RunSettings run;
  data::Settings data;
  model::Settings model;
  std::vector<embedding::EmbeddingBagConfig> tables;  ///< empty = one table per feature
  Settings train;
  OptimizerSettings optimizer;
  optim::ScheduleSettings schedule;
  planning::Settings plan;
  CheckpointSettings checkpoint;
  EvaluateSettings evaluate;
  std::string deck;  ///< effective deck as text, for the checkpoint

  /// Returns checkpoint.path, or the folder of checkpoints inside the run's folder if empty.
  std::string checkpoint_folder() const {
    return checkpoint.path.empty() ? run.folder() + "/checkpoints" : checkpoint.path;
  }
  /// Returns plan.disk_folder, where the rows of kernel disk lie, or the run's folder if empty.
  std::string disk_folder() const { return plan.disk_folder.empty() ? run.folder() : plan.disk_folder; }
};

/// Makes the run's folder, in which Job::disk_folder() may lie, before a store makes that one. Ignores errors, since
/// the store reports a folder that is missing.
void make_run_folder(const RunSettings& run);

}  // namespace tesserec::train
