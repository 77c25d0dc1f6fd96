// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/tree_reduce.hpp>
#include <tesserec/core/not_finite.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/train/pipeline.hpp>
#include <tesserec/train/task_scales.hpp>

namespace tesserec::train {

/// Returns the rule by which a source deals a model's batches to this rank, from the model's lanes, micro-batches,
/// ranks and seed. `batch_size`: samples of a step, all its micro-batches together.
data::Deal deal_of(const model::ShardedModel& model, Index batch_size, bool shuffle);

/// One training step. Ranks, lanes, micro-batches and schedule are the model's.
class TrainStep {
 public:
  /// Takes the bound of the L2 norm of all gradients of a step together (`max_norm`; 0 = none). `model` must outlive
  /// the step. Collective. Throws the same Error on every rank if ranks differ in the bound.
  TrainStep(const Exec& exec, model::ShardedModel& model, double max_norm = 0);

  /// Trains on one micro-batch of a global batch; `step` counts from 1. The last micro-batch updates the model, with
  /// the same bits as one micro-batch of all lanes. Meanwhile starts sending the ids of `next`, the batch of the next
  /// call (null: none). Returns the batch's mean loss, the same on every rank; before the last micro-batch, this
  /// micro-batch's part of it. Throws Diverged on every rank, before the update, if the loss or a gradient is not
  /// finite. The message names step and tensor. Collective.
  double operator()(PipelinedBatch& now, PipelinedBatch* next, Index step);

  /// Makes each step from now on store predictions().
  void keep_predictions() { keeps_predictions_ = true; }
  /// Returns the predicted probabilities of the last micro-batch's samples [B, T], by the weights before the update.
  /// The bits equal those of predict().
  const std::vector<float>& predictions() const { return predictions_; }

  /// Returns the L2 norm of the last step's gradients, of dense parameters and touched rows, before clipping to
  /// max_norm; 0 without a bound.
  double gradient_norm() const { return gradient_norm_; }

  /// Writes the probabilities of a batch's samples [B, T] without training, with the bits that training has. `towers`
  /// as in Network::predict. Collective: a rank without samples calls it with an empty batch. Not thread-safe, because
  /// it uses the buffers of the model and of its messages. A process makes one call at a time, from one thread, and
  /// none during a step.
  void predict(const data::Batch& batch, float* probabilities, float* towers = nullptr);

  Phases& phases() { return model_.tables().phases(); }

 private:
  BatchSplit split(const data::Batch& batch) const {
    return BatchSplit(lanes_, comm_.size(), batch.global_size, batch.micro_batch);
  }
  network::DenseInput input(const data::Batch& batch, const sharding::BatchVectors<const float>& vectors, Index step);
  /// Takes a micro-batch's part of the loss and returns the batch's mean loss after the last, before it the part.
  double batch_loss(int micro_batch, double loss);
  /// Looks at the gradients of a micro-batch's pooled and un-pooled vectors, for check_finite.
  void find_nonfinite(int micro_batch, const sharding::BatchVectors<float>& gradients);
  void check_finite(double loss, Index step);
  /// Returns the factor by which the length of all gradients, dense and of rows, becomes max_norm at most.
  float clip(Index step);

  Exec exec_;
  model::ShardedModel& model_;
  const comm::Communicator& comm_;
  const Lanes& lanes_;
  double max_norm_;
  bool sums_rows_;  // rows move by row_gradients_: after several micro-batches, or by a factor of all gradients
  sharding::GradientSums row_gradients_;
  comm::TreeReduce reduce_;
  TaskScales task_scales_;
  PlacedVector<float> gradient_;  // gradient of the dense parameters, over all ranks
  std::vector<float> piece_;      // host copy of this rank's piece of it, for max_norm if the gradient lies on a device
  std::vector<double> losses_;    // losses of the batch's micro-batches so far
  // Search of this batch's gradients (pooled, un-pooled, dense parameters) for one that is not finite.
  NotFinite looks_;
  Index bad_column_ = -1, bad_sequence_ = -1, bad_parameter_ = -1;
  double gradient_norm_ = 0;
  bool keeps_predictions_ = false;
  std::vector<float> predictions_;
};

}  // namespace tesserec::train
