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
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

class RowUpdates;

/// Options of a collection: optimizers, kernels, exchange. They are the same on every rank.
struct CollectionOptions {
  optim::Settings sparse;  ///< of tables of kernel fused, unless they have their own
  optim::Settings dense;   ///< of kernel dense
  Kernels kernels = Kernels::automatic;
  Levels levels = {};
  ExchangePrecision precision = {};
  embedding::MakeRowStore store = embedding::memory_rows;  ///< of fused tables; all rows of dense ones are in memory
};

/// Vectors of this rank's samples in a batch, or their gradient. They live as long as the batch, where the tables lie.
template <class Number>
struct BatchVectors {
  MatrixView<Number> pooled;                    ///< [B, pooled_width], tables in order, in each its features in order
  std::vector<jagged::JaggedVectors> unpooled;  ///< [ids, dim] of each of embedding_names(tables, false)
};

/// The tables of a model, cut over the ranks by a plan; TorchRec's ShardedEmbeddingBagCollection. Only this rank's
/// shards are ever allocated. A batch goes through start, forward, gradient, backward, which are collective; between
/// them progress may be called, on all ranks or some. Rows may also move once after several micro-batches, whose lanes
/// follow each other, each a whole subtree: each is summed by backward, then move is called.
class ShardedEmbeddingBagCollection {
 public:
  /// `comm` must outlive it; `features` are the keys of the batches. Collective. Errors as planning::check_kernel's.
  ShardedEmbeddingBagCollection(const Exec& exec, const comm::Communicator& comm,
                                std::vector<embedding::EmbeddingBagConfig> tables, planning::ShardingPlan plan,
                                const std::vector<std::string>& features, const Lanes& lanes,
                                const CollectionOptions& options);
  ~ShardedEmbeddingBagCollection();
  ShardedEmbeddingBagCollection(const ShardedEmbeddingBagCollection&) = delete;  // its kernels know where it is

  void initialise(const Exec& exec, std::uint64_t seed);

  /// Sends a new batch's id counts. `sparse`: this rank's samples, kept until forward. `gradients`: backward follows.
  InFlight start(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, BatchSplit split, bool gradients = true);
  /// The same for a global batch of so many samples, split by the law.
  InFlight start(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, Index global_size);
  /// Takes the next step of a batch that was started: once the numbers have come the ids leave; once the ids have come
  /// rows are pinned, and ids brought where kernels want them. Waits for the message that the step needs. Forward takes
  /// the steps that are left. Errors, the same on every rank: an id outside its table, with feature, table, sample and
  /// value; weights that are missing.
  void progress(const Exec& exec, InFlight& batch);
  /// Returns the vectors of this rank's samples. Errors as progress's.
  BatchVectors<const float> forward(const Exec& exec, InFlight& batch);
  /// After forward, returns where derivatives of the loss of the whole global batch by the vectors are to be written.
  BatchVectors<float> gradient(const Exec& exec, InFlight& batch);
  /// Sends the gradient to the owners; every row moves, exactly. `schedule` scales base rates, `step` counts from 1.
  void backward(const Exec& exec, InFlight batch, const optim::ScheduleSettings& schedule, Index step);
  /// Sends the gradient to the owners, who add it to `sums`; no row moves.
  void backward(const Exec& exec, InFlight batch, GradientSums& sums);
  /// Moves every row by its summed gradient times `scale`, and empties `sums`. Collective.
  void move(const Exec& exec, GradientSums& sums, const optim::ScheduleSettings& schedule, Index step,
            float scale = 1.0f);

  const comm::Communicator& comm() const { return comm_; }
  /// Returns where tables, vectors and gradients lie.
  Place place() const { return place_; }
  Index pooled_width() const { return routes_->vectors().pooled_width; }
  const std::vector<embedding::EmbeddingBagConfig>& tables() const { return routes_->tables(); }
  const planning::ShardingPlan& plan() const { return plan_; }
  /// This rank's shards, in the order of Routes::own; data-parallel tables are on every rank.
  struct Shard {
    std::size_t table = 0;
    bool replicated = false;
    std::unique_ptr<embedding::EmbeddingTable> rows;
  };
  const std::vector<Shard>& shards() const { return shards_; }
  /// Returns what this rank has sent for all batches that went backward.
  const BytesSent& bytes() const { return bytes_; }
  /// Seconds of the parts of what was called, and of what else its owner times.
  Phases& phases() { return phases_; }

 private:
  void receive(const Exec& exec, InFlight& batch);
  /// Sends a batch's gradient and gives it to use(batch, gradients).
  template <class Use>
  void send_back(const Exec& exec, InFlight& batch, const Use& use);

  const comm::Communicator& comm_;
  planning::ShardingPlan plan_;
  Lanes lanes_;
  Place place_;
  std::unique_ptr<const Routes> routes_;
  std::shared_ptr<SpareExchanges> exchanges_;
  std::vector<Shard> shards_;
  std::unique_ptr<RowUpdates> updates_;
  BytesSent bytes_;
  Phases phases_;
};

}  // namespace tesserec::sharding
