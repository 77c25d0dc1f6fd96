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
/// gradients. Shards with copies add the sums of all copies. Row-wise optimizers on cut columns add sums over all
/// columns. Collective.
class RowUpdates {
 public:
  /// Shard, and the ranks that hold copies of it, in the order of the lanes whose samples look them up; null = none.
  struct Shard {
    embedding::EmbeddingTable* rows;
    const comm::Communicator* copies;
  };
  /// Takes the ranks of a replica group. `rounds`: optim::row_rounds of each table whose columns are cut, 0 for other
  /// tables.
  RowUpdates(const comm::Communicator& group, const planning::ShardingPlan& plan, const std::vector<int>& rounds,
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
  /// Returns the gradients of some shards by row, added over all copies.
  std::vector<embedding::RowSums> sum(const Exec& exec, const embedding::RowBatch& batch, const float* gradients,
                                      std::span<const std::size_t> shards) const;
  /// Adds the sums of shards whose copies these ranks hold, given their indices and places in `sums`.
  void add_copies(const Exec& exec, const comm::Communicator& copies, std::span<const std::size_t> shards,
                  std::span<const std::size_t> places, std::vector<embedding::RowSums>& sums) const;
  void move_listed(const Exec& exec, const Listed& listed, const optim::ScheduleSettings& schedule, Index step);

  std::vector<Shard> shards_;
  std::vector<std::size_t> plain_;   // shards whose rows are updated straight from a batch
  std::vector<std::size_t> listed_;  // shards whose gradients are listed by row first: with copies, updated in rounds
  std::vector<std::size_t> all_;     // all shards
  std::unique_ptr<embedding::RowKernels> kernels_;
  std::optional<RowTotals> totals_;  // set if any table needs rounds
  int rounds_ = 0;                   // most rounds of any table
};

}  // namespace tesserec::sharding
