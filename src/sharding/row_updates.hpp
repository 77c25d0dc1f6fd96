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

/// Backward pass of one rank's shards, after the owners have received the gradients. It updates rows, or adds up
/// gradients. Replicated shards add the sums of all ranks. Row-wise optimizers on cut columns add sums over all
/// columns. Collective.
class RowUpdates {
 public:
  /// Shard, and whether each of several ranks has a copy.
  struct Shard {
    embedding::EmbeddingTable* rows;
    bool replicated;
  };
  /// Takes optim::row_rounds of each table whose columns are cut, 0 for other tables, as `rounds`.
  RowUpdates(const comm::Communicator& comm, const planning::ShardingPlan& plan, const std::vector<int>& rounds,
             std::vector<Shard> shards, std::unique_ptr<embedding::RowKernels> kernels);

  embedding::RowKernels& kernels() const { return *kernels_; }

  /// Updates the rows of a batch, each once.
  void move(const Exec& exec, const embedding::RowBatch& batch, const float* gradients,
            const optim::ScheduleSettings& schedule, Index step);
  /// Adds the gradients of a batch to `sums`.
  void add(const Exec& exec, const embedding::RowBatch& batch, const float* gradients, GradientSums& sums);
  /// Updates rows by their summed gradients times `scale`, and empties `sums`.
  void move(const Exec& exec, GradientSums& sums, const optim::ScheduleSettings& schedule, Index step, float scale);

 private:
  /// List of shards, with the sums of each.
  struct Listed {
    std::vector<std::size_t> shards;
    std::vector<const embedding::RowSums*> sums;
  };
  double rate(std::size_t shard, const optim::ScheduleSettings& schedule, Index step) const;
  /// Returns the gradients of replicated shards by row, added over all ranks.
  std::vector<embedding::RowSums> sum_replicated(const Exec& exec, const embedding::RowBatch& batch,
                                                 const float* gradients);
  void move_listed(const Exec& exec, const Listed& listed, const optim::ScheduleSettings& schedule, Index step);

  const comm::Communicator& comm_;
  std::vector<Shard> shards_;
  std::vector<std::size_t> plain_, shared_, replicated_;  // shards: all others; those updated in rounds; copies
  std::unique_ptr<embedding::RowKernels> kernels_;
  std::optional<RowTotals> totals_;  // set if any table needs rounds
  int rounds_ = 0;                   // most rounds of any table
};

}  // namespace tesserec::sharding
