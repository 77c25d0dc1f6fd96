// SPDX-License-Identifier: Apache-2.0
// A small job of several planted labels, and the lines that it writes.
#pragma once

#include <fstream>

#include "small_job.hpp"

/// Returns a job of planted labels, of which a share `missing` lacks.
inline tesserec::train::Job labels_job(const std::string& folder, double missing) {
  using namespace tesserec;
  train::Job job = small_job(folder);
  job.run.kernels = Kernels::simd;
  job.data.synthetic.kind = data::SyntheticKind::planted;
  job.data.synthetic.round_targets = false;
  job.data.synthetic.labels.names = job.model.tasks = {"click", "like", "buy"};
  job.data.synthetic.labels.rates = {0.3, 0.5, 0.2};
  job.data.synthetic.labels.missing = missing;
  job.data.missing_labels = missing > 0;
  job.model.loss_settings.task_weights = {1.0, 0.25, 2.0};
  job.model.top.back() = 3;
  job.train.metrics = {"log_loss", "accuracy"};
  job.train.log_every = 1;
  return job;
}

/// Returns the lines of the steps, without times and speeds, which differ between runs.
inline std::string step_lines(const std::string& folder) {
  std::ifstream file(folder + "/metrics.jsonl");
  std::string lines;
  for (std::string line; std::getline(file, line);) {
    if (line.find("\"kind\": \"train\"") == std::string::npos) continue;
    for (const std::string key : {", \"samples_per_second\":", ", \"time\":"})
      if (const auto at = line.find(key); at != std::string::npos)
        line.erase(at, line.find_first_of(",}", at + 1) - at);
    lines += line + "\n";
  }
  return lines;
}
