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
#include <tesserec/sharding/gradient_sums.hpp>
#include <tesserec/sharding/in_flight.hpp>
#include <tesserec/sharding/replica_groups.hpp>
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

class RowUpdates;

/// Options of a collection (optimizers, kernels, exchange), equal on every rank.
struct CollectionOptions {
  optim::Settings sparse;  ///< optimizer of fused tables, unless they have their own
  optim::Settings dense;   ///< optimizer of dense tables, unless they have their own
  Kernels kernels = Kernels::automatic;
  Levels levels = {};
  ExchangePrecision precision = {};
  embedding::MakeRowStore store = embedding::memory_rows;  ///< store of fused tables; dense ones are in memory
};

/// Vectors of this rank's samples in a batch, or their gradients. They lie where the tables do, and live as long as the
/// batch.
template <class Number>
struct BatchVectors {
  MatrixView<Number> pooled;                    ///< [B, pooled_width] row-major, by table, then by feature
  std::vector<jagged::JaggedVectors> unpooled;  ///< [ids, dim] for each of embedding_names(tables, false)
};

/// Tables of a model, sharded over the ranks by a plan, as TorchRec's ShardedEmbeddingBagCollection. Each rank
/// allocates only its shards. With replica groups (planning::replicas) a batch's ids and vectors stay in the group of
/// its samples, and the copies of a row add the gradients of all groups. A batch passes start, forward, gradient and
/// backward, which are collective. Between them any ranks may call progress; with replica groups all must call it
/// alike, because groups tell each other of errors in ids. Rows may also be updated once after several micro-batches,
/// whose lanes follow each other as whole subtrees. Then backward sums the gradients of each micro-batch, and move
/// updates the rows.
class ShardedEmbeddingBagCollection {
 public:
  /// Allocates this rank's shards. `comm` must outlive the collection; `features` are the keys of the batches.
  /// Collective. Throws Error as planning::check_kernel and Routes do.
  ShardedEmbeddingBagCollection(const Exec& exec, const comm::Communicator& comm,
                                std::vector<embedding::EmbeddingBagConfig> tables, planning::ShardingPlan plan,
                                const std::vector<std::string>& features, const Lanes& lanes,
                                const CollectionOptions& options);
  ~ShardedEmbeddingBagCollection();
  ShardedEmbeddingBagCollection(const ShardedEmbeddingBagCollection&) = delete;  // its kernels know where it is

  /// Gives all rows the start values of `seed`.
  void initialize(const Exec& exec, std::uint64_t seed);

  /// Starts a batch: sends the counts of its ids. `sparse`: this rank's samples, which must live until forward.
  /// `gradients`: whether backward will follow. progress reports an error in the ids on every rank.
  InFlight start(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, BatchSplit split, bool gradients = true);
  /// Starts a batch of `global_size` samples in all, split over the ranks by their lanes.
  InFlight start(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, Index global_size);
  /// Takes the next step of a started batch, and blocks until the message that the step needs has arrived. The first
  /// step sends the ids. The second step receives ids, pins rows, and reads the ids into the kernels' memory. forward
  /// takes the remaining steps, and pins the rows of tables that grow, so that these decide about a batch when its turn
  /// has come. With a table of kernel host_cached the first call takes both steps, so that rows travel to the device
  /// while it computes. Throws Error on every rank for missing weights, or for an id outside its table, naming feature,
  /// table, sample and value.
  void progress(const Exec& exec, InFlight& batch);
  /// Takes both steps of progress. Rows on a disk are read from then on, until forward waits for them.
  void prefetch(const Exec& exec, InFlight& batch);
  /// Returns the vectors of this rank's samples. Throws Error as progress does, and on every rank if the rows of the
  /// batch do not fit into a cache of one rank, or cannot be read there.
  BatchVectors<const float> forward(const Exec& exec, InFlight& batch);
  /// Returns the buffers for the derivatives of the global batch's loss by the vectors. Must follow forward.
  BatchVectors<float> gradient(const Exec& exec, InFlight& batch);
  /// Sends the gradient to the owners, which update their rows exactly. `schedule` scales base rates, `step` counts
  /// from 1.
  void backward(const Exec& exec, InFlight batch, const optim::ScheduleSettings& schedule, Index step);
  /// Sends the gradient to the owners, which add it to `sums`. No row is updated.
  void backward(const Exec& exec, InFlight batch, GradientSums& sums);
  /// Updates the rows by their summed gradients times `scale`, and empties `sums`. Collective.
  void move(const Exec& exec, GradientSums& sums, const optim::ScheduleSettings& schedule, Index step,
            float scale = 1.0f);

  const ReplicaGroups& groups() const { return *groups_; }
  /// Returns the memory where tables, vectors and gradients lie.
  Place place() const { return common_.place; }
  Index pooled_width() const { return routes_->vectors().pooled_width; }
  const std::vector<embedding::EmbeddingBagConfig>& tables() const { return routes_->tables(); }
  const planning::ShardingPlan& plan() const { return plan_; }
  /// Returns whether the plan has a table of a kernel.
  bool has(planning::ComputeKernel kernel) const;
  /// Shard of this rank. Shards are in the order of Routes::own. Each replica group has a copy of every shard, and each
  /// rank a copy of a data-parallel table.
  struct Shard {
    std::size_t table = 0;
    Replica replica;
    std::unique_ptr<embedding::EmbeddingTable> rows;
  };
  const std::vector<Shard>& shards() const { return shards_; }
  /// Returns the bytes that this rank has sent for all batches that had their backward.
  const BytesSent& bytes() const { return bytes_; }
  /// Returns the timer of the collection's phases, which may time phases of its owner too.
  Phases& phases() { return phases_; }

 private:
  /// Sends a batch's gradient and gives it to use(batch, gradients).
  template <class Use>
  void send_back(const Exec& exec, InFlight& batch, const Use& use);

  planning::ShardingPlan plan_;
  struct {
    Lanes lanes;
    Place place;
    bool caches = false;  // some rank has a store that may lack a row
  } common_;              // equal on all ranks
  std::unique_ptr<ReplicaGroups> groups_;
  std::unique_ptr<const Routes> routes_;
  std::shared_ptr<SpareExchanges> exchanges_;
  std::vector<Shard> shards_;
  std::unique_ptr<RowUpdates> updates_;
  BytesSent bytes_;
  Phases phases_;
};

/// Returns whether some tables have a cache of their rows (RowStore::cache_use).
inline bool caches_rows(const ShardedEmbeddingBagCollection& tables) {
  return tables.has(planning::ComputeKernel::disk) || tables.has(planning::ComputeKernel::host_cached);
}

}  // namespace tesserec::sharding
