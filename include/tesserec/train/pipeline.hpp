// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <tesserec/data/batch.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::train {

/// This rank's batch and, once they are sent, its ids in flight.
struct PipelinedBatch {
  data::Batch batch;
  sharding::InFlight ids;
};

/// Pipeline that steps over a source's batches, reading one batch ahead. While a batch computes, the ids of the next
/// one travel to the owners of their rows. The bits equal those of sequential steps. The name is TorchRec's.
class TrainPipelineSparseDist {
 public:
  /// Trains on a batch and returns its mean loss. Starts sending the ids of `next` unless null. `step` counts from 1.
  using Step = std::function<double(PipelinedBatch& now, PipelinedBatch* next, Index step)>;

  /// Takes the step to run and, in `ahead`, whether ids are sent one batch early. Reading batches is timed as a phase
  /// of `tables`. Step, tables and source must outlive the pipeline. Collective. Throws the same Error on every rank if
  /// ranks differ in `ahead`.
  TrainPipelineSparseDist(const Exec& exec, Step step, sharding::ShardedEmbeddingBagCollection& tables,
                          data::Source& source, bool ahead);

  /// Continues with batch `batch` of epoch `epoch`, both from 0. Must not be called while a batch is ahead.
  void seek(Index epoch, Index batch);

  /// Goes to the first batch of an epoch, unless it is ahead, after something else has read from the source.
  void begin(Index epoch);

  /// Trains on the next batch, continuing into the next epoch at an epoch's end. `last` is the last step whose batch
  /// may be read ahead, such as that of the run, the same on all ranks. Returns the batch's mean loss. Collective.
  double operator()(Index step, Index last);
  /// Returns the batch of the last call.
  const data::Batch& batch() const { return batches_[current_].batch; }

  /// Drops the batch that was read ahead, because the run ends before its last step. Collective.
  void drop();

 private:
  void read(data::Batch& batch);

  Step step_;
  sharding::ShardedEmbeddingBagCollection& tables_;
  data::Source& source_;
  bool ahead_;
  Index epoch_ = 0;
  PipelinedBatch batches_[2];
  int current_ = 0;
  bool next_is_read_ = false;
};

}  // namespace tesserec::train
