// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/optim/schedule.hpp>
#include <tesserec/planning/plan.hpp>
#include <tesserec/sharding/gradient_sums.hpp>
#include <tesserec/sharding/row_totals.hpp>

namespace tesserec::sharding {

/// The backward pass of one rank's shards, once owners have the gradients: rows move, or gradients are summed. Copies
/// add the sums of all ranks; row-wise optimizers with some columns add sums over the other columns. Collective.
class RowUpdates {
 public:
  /// A shard, and whether every rank of several has a copy.
  struct Shard {
    embedding::EmbeddingTable* rows;
    bool replicated;
  };
  /// `rounds[t]`: optim::row_rounds of tables whose columns are cut; else 0.
  RowUpdates(const comm::Communicator& comm, const planning::ShardingPlan& plan, const std::vector<int>& rounds,
             std::vector<Shard> shards, std::unique_ptr<embedding::RowKernels> kernels);

  embedding::RowKernels& kernels() const { return *kernels_; }

  /// Moves the rows of a batch, each once.
  void move(const Exec& exec, const embedding::RowBatch& batch, const float* gradients,
            const optim::ScheduleSettings& schedule, Index step);
  /// Adds the gradients of a batch to `sums`.
  void add(const Exec& exec, const embedding::RowBatch& batch, const float* gradients, GradientSums& sums);
  /// Moves rows by their summed gradients times `scale`, and empties `sums`.
  void move(const Exec& exec, GradientSums& sums, const optim::ScheduleSettings& schedule, Index step, float scale);

 private:
  /// Sums of each shard of a list.
  struct Listed {
    std::vector<std::size_t> shards;
    std::vector<const embedding::RowSums*> sums;
  };
  double rate(std::size_t shard, const optim::ScheduleSettings& schedule, Index step) const;
  /// Returns the gradients by row of replicated shards, added over all ranks.
  std::vector<embedding::RowSums> sum_replicated(const Exec& exec, const embedding::RowBatch& batch,
                                                 const float* gradients);
  void move_listed(const Exec& exec, const Listed& listed, const optim::ScheduleSettings& schedule, Index step);

  const comm::Communicator& comm_;
  std::vector<Shard> shards_;
  std::vector<std::size_t> plain_, shared_, replicated_;  // shards: neither; of columns in rounds; copies
  std::unique_ptr<embedding::RowKernels> kernels_;
  std::optional<RowTotals> totals_;  // where any table needs rounds
  int rounds_ = 0;                   // the most of these tables
};

}  // namespace tesserec::sharding
