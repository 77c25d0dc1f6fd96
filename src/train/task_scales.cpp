// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <span>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/train/task_scales.hpp>

namespace tesserec::train {
namespace {

[[noreturn]] void fail_unlike(Index tasks) {
  fail("a batch has another number of labels per sample than the ", tasks,
       " that the model learns; give the batches of all ranks so many (data::reserve_batch)");
}

}  // namespace

void TaskScales::count(const data::Batch& batch) {
  const network::Settings& settings = model_.dense.settings();
  const Index tasks = settings.labels();
  const bool fits = batch.tasks == tasks;
  if (tasks == 1) {
    if (!fits) fail_unlike(tasks);
    return;
  }
  std::vector<Index> counts(tasks + 2, 0);  // samples with each label, all samples, ranks whose batch does not fit
  for (Index i = 0; fits && i < batch.size * tasks; ++i) counts[i % tasks] += !std::isnan(batch.labels(i));
  counts[tasks] = batch.size;
  counts[tasks + 1] = !fits;
  model_.embeddings.env().sum(std::span<Index>(counts));
  if (counts[tasks + 1] > 0) fail_unlike(tasks);
  const std::vector<double>& weights = settings.loss_settings.task_weights;
  scales_.assign(tasks, 0.0f);
  for (Index t = 0; t < tasks; ++t) {
    if (counts[t] < counts[tasks] && model_.embeddings.step_lanes().micro_batches() > 1)
      fail("samples lack the label ", settings.tasks[t],
           ", whose mean needs all samples of a step at once; set train.accumulate = 1");
    const double weight = weights.empty() ? 1.0 : weights[t];
    if (counts[t] > 0) scales_[t] = float(weight * double(counts[tasks]) / double(counts[t]));
  }
}

}  // namespace tesserec::train
