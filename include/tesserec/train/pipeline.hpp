// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <tesserec/data/batch.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::train {

/// A batch of this rank, and its ids when they are under way.
struct PipelinedBatch {
  data::Batch batch;
  sharding::InFlight ids;
};

/// Steps over a source's batches, one batch ahead: while a batch computes, the next one is there and its ids travel to
/// the owners of the rows. The bits are those of steps one after the other. TorchRec's TrainPipelineSparseDist.
class TrainPipelineSparseDist {
 public:
  /// Trains on a batch and returns its mean loss; starts the ids of `next`, where there is one. `step` counts from 1.
  using Step = std::function<double(PipelinedBatch& now, PipelinedBatch* next, Index step)>;

  /// `ahead`: whether ids travel a batch early. Waiting for batches is a phase of `tables`. Step, tables and source
  /// must outlive it. Collective. Error, the same on every rank: ranks with another `ahead`.
  TrainPipelineSparseDist(const Exec& exec, Step step, sharding::ShardedEmbeddingBagCollection& tables,
                          data::Source& source, bool ahead);

  /// Goes on with batch `batch` of epoch `epoch`, both from 0. Not while a batch is ahead.
  void seek(Index epoch, Index batch);

  /// Trains on the next batch, over the ends of epochs; `last` is the last step of the run, the same on all ranks.
  /// Returns the batch's mean loss. Collective.
  double operator()(Index step, Index last);
  /// Returns what the last call trained on.
  const data::Batch& batch() const { return batches_[at_hand_].batch; }

  /// Gives up the batch ahead: the run ends before its last step. Collective.
  void drop();

 private:
  void read(data::Batch& batch);

  Step step_;
  sharding::ShardedEmbeddingBagCollection& tables_;
  data::Source& source_;
  bool ahead_;
  Index epoch_ = 0;
  PipelinedBatch batches_[2];
  int at_hand_ = 0;
  bool next_is_read_ = false;
};

}  // namespace tesserec::train
