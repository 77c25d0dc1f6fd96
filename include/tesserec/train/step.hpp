// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/tree_reduce.hpp>
#include <tesserec/core/not_finite.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/train/pipeline.hpp>

namespace tesserec::train {

/// Makes the rule by which a source deals a model's batches to this rank: by the model's lanes, micro-batches, ranks
/// and seed. `batch_size`: samples of a step, all its micro-batches together.
data::Deal deal_of(const model::ShardedModel& model, Index batch_size, bool shuffle);

/// One training step: the picture of the program. Ranks, lanes, micro-batches and schedule are the model's.
class TrainStep {
 public:
  /// `max_norm` bounds the length of all gradients of a step together; 0 = no bound. `model` must outlive it.
  /// Collective. Error, the same on every rank: ranks with another bound.
  TrainStep(const Exec& exec, model::ShardedModel& model, double max_norm = 0);

  /// Trains on one micro-batch of a global batch; `step` counts from 1. The model moves after the last, with the bits
  /// of one micro-batch of all lanes. Meanwhile the ids of `next`, the next call's batch, begin to travel (null: none).
  /// Returns the batch's mean loss, the same on every rank; before the last micro-batch, this one's part of it. A loss
  /// or gradient that is not finite is an Error on every rank, before the move, naming step and tensor.
  double operator()(PipelinedBatch& now, PipelinedBatch* next, Index step);

  /// Makes each step leave predictions() from now on.
  void keep_predictions() { keeps_predictions_ = true; }
  /// Returns predictions of the last step's batch [B], by the weights before they moved; with the bits of predict.
  const std::vector<float>& predictions() const { return predictions_; }

  /// Length of the last step's gradients, dense and touched rows, before max_norm; 0 without a bound.
  double gradient_norm() const { return gradient_norm_; }

  /// Probabilities of a batch's samples [B] without training; with their bits. `towers` as Network::predict's.
  /// Collective: a rank without samples calls it with an empty batch. Not thread-safe: it uses the buffers of the model
  /// and of its messages, so a process makes one call at a time, none beside a step, and from one thread.
  void predict(const data::Batch& batch, float* probabilities, float* towers = nullptr);

  Phases& phases() { return model_.tables().phases(); }

 private:
  BatchSplit split(const data::Batch& batch) const {
    return BatchSplit(lanes_, comm_.size(), batch.global_size, batch.micro_batch);
  }
  network::DenseInput input(const data::Batch& batch, const sharding::BatchVectors<const float>& vectors, Index step);
  /// Takes a micro-batch's part of the loss and returns the batch's mean loss after the last, before it the part.
  double batch_loss(int micro_batch, double part);
  /// Looks at the gradients of a micro-batch's pooled and un-pooled vectors, for check_finite.
  void look_at(int micro_batch, const sharding::BatchVectors<float>& gradients);
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
  PlacedVector<float> gradient_;  // of the dense parameters, over all ranks
  std::vector<float> piece_;      // of it, where it lies on a device and its length is bound
  std::vector<double> losses_;    // of the batch's micro-batches so far
  // Search of this batch's gradients (pooled, un-pooled, dense parameters) for one that is not finite.
  NotFinite looks_;
  Index bad_column_ = -1, bad_sequence_ = -1, bad_parameter_ = -1;
  double gradient_norm_ = 0;
  bool keeps_predictions_ = false;
  std::vector<float> predictions_;
};

}  // namespace tesserec::train
