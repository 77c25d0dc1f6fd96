// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <tesserec/core/kernels.hpp>
#include <tesserec/core/phases.hpp>
#include <tesserec/embedding/asked_shard.hpp>
#include <tesserec/embedding/row_sums.hpp>

namespace tesserec::embedding {

/// A batch's lists in the memory where kernels compute.
class BatchLists {
 public:
  virtual ~BatchLists() = default;
};

/// The lookups of one batch, shard by shard. All that it points to must outlive the batch's last call of RowKernels.
struct RowBatch {
  std::span<const AskedShard> asked;  ///< pinned
  const BatchSplit* split = nullptr;
  Range own_lanes;                               ///< of this rank, which alone asks replicated shards
  bool gradients = false;                        ///< sum or move will follow the lookup
  std::unique_ptr<BatchLists>* lists = nullptr;  ///< those that read makes, or fills anew
};

/// Gradients by which rows of some shards move, each row once.
struct RowMoves {
  std::span<const std::size_t> shards;
  std::span<const double> rates;  ///< [shards.size()]
  Index step = 0;
  /// Gradients of a batch's bags, by Bags::gradients_at: its rows move. `shards`: all unshared, not replicated ones.
  const RowBatch* batch = nullptr;
  const float* gradients = nullptr;
  /// Else one gradient a row, [shards.size()] of [slots, dim].
  struct Rows {
    std::span<const Index> slots;
    const float* gradients;
  };
  std::span<const Rows> rows = {};
  /// Rows that share their numbers with other shards move in rounds. Round k of optim::row_rounds returns of each
  /// row its sums over this shard's subtrees of columns, and wants in `totals` the whole rows' sums of the round
  /// before, [shards.size()][rows, sums]. The round after the last moves the rows.
  int round = 0;
  std::span<const std::vector<float>> totals = {};
};

/// Looks up and moves the rows of one rank's shards, all shards in a call. Every implementation gives the same bits.
class RowKernels {
 public:
  struct Shard {
    EmbeddingTable* table = nullptr;
    bool fetched = false;     ///< its rows travel: gradients come as sums (AskedShard::gradients)
    bool replicated = false;  ///< all ranks have a copy, and each looks up its own samples
  };
  virtual ~RowKernels() = default;

  /// Brings a batch's lists, once, before the other calls for it; may be called while other batches compute.
  virtual void read(const Exec& exec, const RowBatch& batch) = 0;
  /// Writes the sums of each shard's bags to sums + AskedShard::sums_at, where the tables lie.
  virtual void lookup(const Exec& exec, const RowBatch& batch, float* sums) = 0;
  /// Returns some shards' gradients by row; of replicated ones, over subtrees of the batch's own lanes. Blocks.
  virtual std::vector<RowSums> sum(const Exec& exec, const RowBatch& batch, const float* gradients,
                                   std::span<const std::size_t> shards) = 0;
  /// Moves rows. Returns the sums of a round, [shards.size()], of shards that have this round.
  virtual std::vector<std::vector<float>> move(const Exec& exec, const RowMoves& moves) = 0;
};

/// Makes kernels for shards at place_of(kernels). `phases` times "sort ids" where it interrupts other phases.
std::unique_ptr<RowKernels> make_row_kernels(Kernels kernels, std::vector<RowKernels::Shard> shards, Phases& phases);

}  // namespace tesserec::embedding
