// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/tree_reduce.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/optim/schedule.hpp>
#include <tesserec/train/pipeline.hpp>

namespace tesserec::train {

/// One training step: the picture of the program.
class TrainStep {
 public:
  TrainStep(const Exec& exec, const comm::Communicator& comm, const Lanes& lanes,
            const optim::ScheduleSettings& schedule, model::ShardedModel& model);

  /// Trains on one global batch; `step` counts from 1. While it computes, the ids of `next`, the batch of the next
  /// call, begin to travel; null: none do. Returns its mean loss, the same on every rank. A loss or gradient that is
  /// not finite is an Error on every rank, before anything moved, that names step and tensor.
  double operator()(PipelinedBatch& now, PipelinedBatch* next, Index step);

  /// From now on each step leaves predictions().
  void keep_predictions() { keeps_predictions_ = true; }
  /// Of the last step's batch [B], by the weights before they moved; with the bits of predict.
  const std::vector<float>& predictions() const { return predictions_; }

  /// Probabilities of a batch's samples [B] without training; with their bits. `towers` as Network::predict's.
  void predict(const data::Batch& batch, float* probabilities, float* towers = nullptr);

  Phases& phases() { return model_.tables().phases(); }
  /// Of this rank to others, by the exchange, in all steps.
  Index bytes_sent() const { return model_.tables().bytes_sent(); }

 private:
  model::DenseInput input(const data::Batch& batch, sharding::InFlight& ids, const MatrixView<const float>& pooled,
                          Index step);
  void check_finite(const MatrixView<float>& pooled_gradient,
                    const std::vector<jagged::JaggedVectors>& unpooled_gradient, double loss, Index step);

  Exec exec_;
  const comm::Communicator& comm_;
  Lanes lanes_;
  optim::ScheduleSettings schedule_;
  model::ShardedModel& model_;
  comm::TreeReduce reduce_;
  Vector<float> gradient_;  // of the dense parameters, over all ranks
  bool keeps_predictions_ = false;
  std::vector<float> predictions_;
};

}  // namespace tesserec::train
