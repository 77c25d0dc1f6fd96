// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/data/batch.hpp>
#include <tesserec/model/sharded_model.hpp>

namespace tesserec::train {

/// Factor of each label's loss in a step, so that the loss is a mean over the samples that have the label.
class TaskScales {
 public:
  /// Takes the model, which must outlive this object.
  explicit TaskScales(const model::ShardedModel& model) : model_(model) {}

  /// Computes the factors of a batch: the label's weight times all samples over those that have the label, or 0 if none
  /// has it. Collective with several labels. Throws Error, then the same on every rank, for a batch with another
  /// number of labels than the model's. Throws it for missing labels with several micro-batches, whose samples are not
  /// known together.
  void count(const data::Batch& batch);
  /// Returns the factors [T], or null if the model learns one label.
  const float* data() const { return scales_.empty() ? nullptr : scales_.data(); }

 private:
  const model::ShardedModel& model_;
  std::vector<float> scales_;
};

}  // namespace tesserec::train
