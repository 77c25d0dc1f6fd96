// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/phases.hpp>
#include <tesserec/core/placed.hpp>
#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/optim/schedule.hpp>
#include <tesserec/sharding/exchange_precision.hpp>
#include <tesserec/sharding/in_flight.hpp>
#include <tesserec/sharding/routes.hpp>
#include <tesserec/sharding/row_totals.hpp>

namespace tesserec::sharding {

/// Options of a collection: optimizers, kernels, exchange. They are the same on every rank.
struct CollectionOptions {
  optim::Settings sparse;  ///< of tables of kernel fused, unless they have their own
  optim::Settings dense;   ///< of kernel dense
  Kernels kernels = Kernels::automatic;
  Levels levels = {};
  ExchangePrecision precision = {};
};

/// The tables of a model, cut over the ranks by a plan; TorchRec's ShardedEmbeddingBagCollection. Only this rank's
/// shards are ever allocated. A batch goes through start, forward, gradient, backward; start to backward are
/// collective. Rows may also move once after several micro-batches, whose lanes follow each other, each a whole
/// subtree: all but the last go through accumulate.
class ShardedEmbeddingBagCollection {
 public:
  /// `comm` must outlive it; `features` are the keys of the batches. Collective. Error, on every rank, as
  /// planning::check_kernel's.
  ShardedEmbeddingBagCollection(const Exec& exec, const comm::Communicator& comm,
                                std::vector<embedding::EmbeddingBagConfig> tables, planning::ShardingPlan plan,
                                const std::vector<std::string>& features, const Lanes& lanes,
                                const CollectionOptions& options);

  ShardedEmbeddingBagCollection(const ShardedEmbeddingBagCollection&) = delete;  // its kernels know where it is

  void initialise(const Exec& exec, std::uint64_t seed);

  /// Ids begin to travel to the owners of their rows. `sparse` holds this rank's samples of a batch split like that.
  InFlight start(const jagged::KeyedJaggedTensor& sparse, BatchSplit split);
  /// The same for a global batch of so many samples, split by the law.
  InFlight start(const jagged::KeyedJaggedTensor& sparse, Index global_size);
  /// Once their numbers have come, the ids leave: between start and forward, while other work goes on. Errors, the same
  /// on every rank: an id outside its table, with feature, table, sample and value; weights that are missing.
  void advance(InFlight& batch);
  /// The ids have come, and are where the rows' kernels want them: between gradient of the batch before and forward,
  /// while a device computes. Forward does what is left of it.
  void receive(const Exec& exec, InFlight& batch);
  /// Pooled vectors [B, pooled_width] of this rank's samples, tables in order, in each its features in order. They live
  /// as long as the batch. Errors as advance's.
  MatrixView<const float> forward(const Exec& exec, InFlight& batch);
  /// After forward: the vectors [ids, dim] of this rank's samples for each feature that is not pooled, in the order of
  /// embedding_names(tables, false). They live as long as the batch.
  std::vector<jagged::JaggedVectors> unpooled(InFlight& batch) const;
  /// Where the gradient of the pooled vectors [B, pooled_width] is to be written: derivatives of the loss of the whole
  /// global batch. Orders the ids for the update: from here to backward for one batch at a time.
  MatrixView<float> gradient(const Exec& exec, InFlight& batch);
  /// After gradient: where that of the un-pooled vectors is to be written.
  std::vector<jagged::JaggedVectors> unpooled_gradient(InFlight& batch) const;
  /// The gradient goes to the owners; returns where they find it, by Bags::gradients_at. Part of backward.
  const float* send_gradients(const Exec& exec, InFlight& batch);
  /// The gradient goes to the owners and is added up by row; nothing moves yet.
  void accumulate(const Exec& exec, InFlight batch);
  /// This rank's share of the sum of squares of all rows' accumulated gradients.
  ExactSum squares(const Exec& exec);
  /// The gradient goes to the owners, and every row that was touched since the last call moves, exactly: by its
  /// gradient times `scale`; `schedule` scales each table's base rate, `step` counts from 1. Without a batch, by what
  /// was accumulated.
  void backward(const Exec& exec, InFlight batch, const optim::ScheduleSettings& schedule, Index step,
                float scale = 1.0f);
  /// Instead of forward, on all ranks: what is under way arrives, and no more is made of it.
  void drop(InFlight batch);

  const comm::Communicator& comm() const { return comm_; }
  /// Where its numbers lie: tables, and the vectors and gradients above.
  Place place() const { return place_; }
  Index pooled_width() const { return routes_->pooled_width(); }
  const std::vector<embedding::EmbeddingBagConfig>& tables() const { return routes_->tables(); }
  const planning::ShardingPlan& plan() const { return plan_; }
  /// This rank's shards, in the order of Routes::own; data-parallel tables are on every rank.
  struct Shard {
    std::size_t table = 0;
    bool replicated = false;
    std::unique_ptr<embedding::EmbeddingTable> rows;
  };
  const std::vector<Shard>& shards() const { return shards_; }
  /// From this rank to others, for all batches that went backward.
  Index bytes_sent() const { return bytes_sent_; }
  /// To other nodes, of these.
  Index bytes_between_nodes() const { return bytes_between_nodes_; }
  /// Seconds of the parts of what was called, and of what else its owner times.
  Phases& phases() { return phases_; }

 private:
  std::vector<jagged::JaggedVectors> sequences(InFlight& batch, float* front) const;
  void order_ids(const Exec& exec, const InFlight& batch);
  /// Whether its gradients come from all ranks.
  bool replicated(const Shard& shard) const { return shard.replicated && comm_.size() > 1; }
  void count(const InFlight& batch);
  std::vector<double> rates(const optim::ScheduleSettings& schedule, Index step) const;
  void update(const Exec& exec, const float* gradients, const optim::ScheduleSettings& schedule, Index step);
  void gather(const Exec& exec, const float* gradients);
  void update_gathered(const Exec& exec, const optim::ScheduleSettings& schedule, Index step, float scale);
  void update_shared(const Exec& exec, std::span<const double> rates, Index step);
  template <class Sink>  // sink(shard, uses, sums): each replicated one and the sums of all ranks
  void with_all_ranks(const Exec& exec, const float* gradients, const Sink& sink);

  const comm::Communicator& comm_;
  planning::ShardingPlan plan_;
  Lanes lanes_;
  Place place_;
  ExchangePrecision precision_;
  std::unique_ptr<const Routes> routes_;
  std::optional<comm::Communicator> node_;  // its ranks, where some table goes by two levels
  std::shared_ptr<SpareExchanges> spare_;   // of batches that have gone
  std::vector<Shard> shards_;
  std::unique_ptr<embedding::RowKernels> kernels_;
  std::optional<RowTotals> row_totals_;  // where any table needs it
  int row_rounds_ = 0;                   // the most of those tables
  const Exchange* read_ = nullptr;       // the batch whose ids the kernels have
  const Exchange* ordered_ = nullptr;    // the batch whose ids are ordered
  bool gathered_ = false;                // gradients of micro-batches
  Index bytes_sent_ = 0, bytes_between_nodes_ = 0;
  Phases phases_;
};

}  // namespace tesserec::sharding
