// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <tesserec/optim/schedule.hpp>
#include <tesserec/sharding/exchange.hpp>
#include <tesserec/sharding/row_squares.hpp>

namespace tesserec::sharding {

/// The tables of a model, cut over the ranks by a plan; TorchRec's ShardedEmbeddingBagCollection. Only this
/// rank's shards are ever allocated.
class ShardedEmbeddingBagCollection {
 public:
  /// Error, on every rank, as planning::check_kernel's.
  ShardedEmbeddingBagCollection(const Exec& exec, const comm::Communicator& comm,
                                std::vector<embedding::EmbeddingBagConfig> tables, planning::ShardingPlan plan,
                                const std::vector<std::string>& features, const Lanes& lanes,
                                const optim::Settings& sparse, const optim::Settings& dense);

  void initialise(const Exec& exec, std::uint64_t seed);

  /// Of the batch at hand.
  Exchange& exchange() { return exchanges_[at_hand_]; }
  /// Of the batch after it, whose ids may travel meanwhile; `advance` makes it the one at hand.
  Exchange& exchange_ahead() { return exchanges_[1 - at_hand_]; }
  void advance() { at_hand_ = 1 - at_hand_; }
  const std::vector<embedding::EmbeddingBagConfig>& tables() const { return configs_; }
  const planning::ShardingPlan& plan() const { return plan_; }
  /// This rank's shards, in the order of what Exchange::send_ids returns; data-parallel tables are on every
  /// rank.
  struct Shard {
    std::size_t table = 0;
    bool replicated = false;
    std::unique_ptr<embedding::EmbeddingTable> rows;
  };
  const std::vector<Shard>& shards() const { return shards_; }

  /// Sums of the asked bags to `rows` of the exchange.
  void lookup(const Exec& exec, const std::vector<AskedShard>& asked, float* rows) const;

  /// Orders the ids of a batch for its update: needs no gradient, so it can run any time before.
  void prepare(const Exec& exec, const std::vector<AskedShard>& asked, Index global_size);

  /// Exact update of every touched row; `schedule` scales each table's base rate, `step` counts from 1.
  /// Data-parallel tables gather the ranks' subtree sums first, row-wise optimizers the sums of squares of
  /// all columns.
  void update(const Exec& exec, const float* gradients, const optim::ScheduleSettings& schedule, Index step);

 private:
  void update_replicated(const Exec& exec, const float* gradients, const optim::ScheduleSettings& schedule, Index step);
  void update_shared(const Exec& exec, const float* gradients, const optim::ScheduleSettings& schedule, Index step);

  const comm::Communicator& comm_;
  std::vector<embedding::EmbeddingBagConfig> configs_;
  planning::ShardingPlan plan_;
  Lanes lanes_;
  std::array<Exchange, 2> exchanges_;
  int at_hand_ = 0;
  std::vector<Shard> shards_;
  std::optional<RowSquares> row_squares_;  // where any table needs it
};

}  // namespace tesserec::sharding
