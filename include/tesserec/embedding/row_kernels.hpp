// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <tesserec/core/kernels.hpp>
#include <tesserec/core/phases.hpp>
#include <tesserec/embedding/row_sums.hpp>
#include <tesserec/embedding/shard_lookups.hpp>

namespace tesserec::embedding {

/// Lists of a batch in the memory where kernels compute.
class BatchLists {
 public:
  virtual ~BatchLists() = default;
};

/// Lookups of one batch, shard by shard. Everything that it points to must outlive the batch's last call of RowKernels.
struct RowBatch {
  std::span<const ShardLookups> lookups;  ///< [shard] pinned lookups
  const BatchSplit* split = nullptr;
  Range own_lanes;                               ///< lanes of this rank's samples
  bool gradients = false;                        ///< true if sum or move will follow the lookup
  std::unique_ptr<BatchLists>* lists = nullptr;  ///< lists that read makes, or fills anew
};

/// Gradients by which the rows of some shards are updated, each row once.
struct RowMoves {
  std::span<const std::size_t> shards;
  std::span<const double> rates;  ///< [shards.size()] learning rates
  Index step = 0;
  /// Batch whose rows are updated by the gradients of its bags, at Bags::gradients_at. `shards` must then be all shards
  /// that are not shared and that all ranks look up.
  const RowBatch* batch = nullptr;
  const float* gradients = nullptr;
  /// Gradients by row without a batch: [shards.size()] of [slots, dim].
  struct Rows {
    std::span<const Index> slots;
    const float* gradients;
  };
  std::span<const Rows> rows = {};
  /// Round of rows that share their numbers with other shards. Round k < optim::row_rounds returns the sums of each row
  /// over this shard's subtrees of columns. It needs the whole rows' sums of the preceding round in `totals`,
  /// [shards.size()][rows, sums]. The round after the last one updates the rows.
  int round = 0;
  std::span<const std::vector<float>> totals = {};
};

/// Ranks that look up a shard. If they are not all ranks, other ranks look up copies.
enum class Askers {
  all_ranks,
  group,    ///< ranks of the batch's split, a replica group
  own_rank  ///< the rank that holds the shard
};

/// Lookups and updates of the rows of one rank's shards, all shards in one call. Every implementation gives the same
/// bits.
class RowKernels {
 public:
  struct Shard {
    EmbeddingTable* table = nullptr;
    bool fetched = false;  ///< its rows are fetched: gradients arrive as sums (ShardLookups::gradients)
    Askers askers = Askers::all_ranks;
    /// Returns the lanes of the samples that look up the shard, whose gradients are summed by whole subtrees.
    Range lanes(const RowBatch& batch) const;
  };
  virtual ~RowKernels() = default;

  /// Reads a batch's lists into the kernels' memory, once, before the other calls for the batch. Other batches may
  /// compute meanwhile.
  virtual void read(const Exec& exec, const RowBatch& batch) = 0;
  /// Writes the sums of each shard's bags to sums + ShardLookups::sums_at, in the tables' memory.
  virtual void lookup(const Exec& exec, const RowBatch& batch, float* sums) = 0;
  /// Returns the gradients of some shards by row. Shards with copies have a sum for each whole subtree of
  /// Shard::lanes(). Blocks.
  virtual std::vector<RowSums> sum(const Exec& exec, const RowBatch& batch, const float* gradients,
                                   std::span<const std::size_t> shards) = 0;
  /// Updates rows. Records those of a batch in EmbeddingTable::moved(). Returns the sums of a round, [shards.size()],
  /// for the shards that have this round.
  virtual std::vector<std::vector<float>> move(const Exec& exec, const RowMoves& moves) = 0;
};

/// Makes kernels for shards, which must lie at place_of(kernels). `phases` times "sort ids" inside other phases.
std::unique_ptr<RowKernels> make_row_kernels(Kernels kernels, std::vector<RowKernels::Shard> shards, Phases& phases);

}  // namespace tesserec::embedding
