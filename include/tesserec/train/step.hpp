// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/tree_reduce.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/model/distributed_model_parallel.hpp>
#include <tesserec/optim/schedule.hpp>
#include <tesserec/train/phases.hpp>

namespace tesserec::train {

/// One training step: the picture of the program.
class TrainStep {
 public:
  TrainStep(const Exec& exec, const comm::Communicator& comm, const Lanes& lanes,
            const optim::ScheduleSettings& schedule, model::DistributedModelParallel& model);

  /// Trains on one global batch; `step` counts from 1. While it computes, the ids of `next`, the batch of the next
  /// call, already travel; null: none do. Returns its mean loss, the same on every rank. A loss or gradient that is not
  /// finite is an Error on every rank, before anything moved, that names step and tensor.
  double operator()(const data::Batch& batch, const data::Batch* next, Index step);

  /// Probabilities of a batch's samples [B] without training; with their bits.
  void predict(const data::Batch& batch, float* probabilities);

  /// Ends what `next` began, when its step will not come.
  void drop_next();

  const Exec& exec() const { return exec_; }
  Phases& phases() { return phases_; }
  /// Of this rank to others, by the exchange, in all steps.
  Index bytes_sent() const { return bytes_sent_; }

 private:
  /// Pooled embeddings of the batch whose ids are under way: lookups, sums back.
  const std::vector<sharding::AskedShard>& embed();
  model::DenseInput input(const data::Batch& batch) const;
  void check_finite(const data::Batch& batch, double loss, Index step);

  Exec exec_;
  const comm::Communicator& comm_;
  Lanes lanes_;
  optim::ScheduleSettings schedule_;
  model::DistributedModelParallel& model_;
  comm::TreeReduce reduce_;
  Vector<float> gradient_;            // of the dense parameters, over all ranks
  const float* pooled_ = nullptr;     // [B, pooled width], of the exchange at hand
  float* pooled_gradient_ = nullptr;  // its gradient, there too
  bool next_under_way_ = false;
  Index bytes_sent_ = 0;
  Phases phases_;
};

}  // namespace tesserec::train
