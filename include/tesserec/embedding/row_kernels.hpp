// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <tesserec/core/kernels.hpp>
#include <tesserec/core/phases.hpp>
#include <tesserec/embedding/asked_shard.hpp>

namespace tesserec::embedding {

/// What looks up and moves the rows of one rank's shards: all of them in a call, once a batch. Every implementation
/// gives the same bits.
class RowKernels {
 public:
  struct Shard {
    EmbeddingTable* table = nullptr;
    bool fetched = false;     ///< its rows travel: gradients come as sums (AskedShard::gradients)
    bool replicated = false;  ///< its gradients come from all ranks: sum_gradients, then update_sums or gather_sums
  };
  virtual ~RowKernels() = default;

  /// What is asked, at `asked` until the next call, comes to where lookup wants it: while another batch computes.
  virtual void read(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit& split) = 0;
  /// Then, sums of the bags asked of each shard: to sums + AskedShard::sums_at, where the tables lie, as the gradients
  /// below.
  virtual void lookup(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit& split, float* sums) = 0;
  /// A batch that was looked up, whose gradients are due: its ids are ordered, now or when they are used, until when
  /// `asked` and `split` live. `own`: lanes of this rank.
  virtual void order_ids(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit& split, Range own) = 0;
  /// Then: rows of shards that neither share them nor are replicated move, each once; `rates` [shard]. `gradients` is
  /// what Bags::gradients_at speaks of.
  virtual void update(const Exec& exec, const float* gradients, std::span<const double> rates, Index step) = 0;

  /// Which shards gather: those that share rows, or all that are not replicated.
  enum class Which { shared, all };
  /// Instead: gradients by row join those of micro-batches before, in EmbeddingTable::gathered.
  virtual void gather(const Exec& exec, const float* gradients, Which which) = 0;

  /// One rank's share of a replicated shard's gradients.
  virtual RowSums sum_gradients(const Exec& exec, std::size_t shard, const float* gradients) = 0;
  /// Those of all ranks, in the host's memory.
  virtual void update_sums(const Exec& exec, std::size_t shard, std::span<const RowUse> uses, const float* sums,
                           double rate, Index step) = 0;
  virtual void gather_sums(const Exec& exec, std::size_t shard, std::span<const RowUse> uses, const float* sums) = 0;

  /// A shard's rows move by what was gathered, and nothing is any more.
  virtual void move_gathered(const Exec& exec, std::size_t shard, double rate, Index step) = 0;
  /// In place of it, where rows are shared, rounds: as EmbeddingTable::sum_columns and move_columns.
  virtual std::vector<float> sum_columns(const Exec& exec, std::size_t shard, int round, std::span<const float> totals,
                                         double rate, Index step) = 0;
  virtual void move_columns(const Exec& exec, std::size_t shard, std::span<const float> totals, double rate,
                            Index step) = 0;
};

/// Those of `kernels`, for shards in their order whose numbers lie where they want them (place_of); "sort ids" of
/// `phases` is timed where it interrupts others.
std::unique_ptr<RowKernels> make_row_kernels(Kernels kernels, std::vector<RowKernels::Shard> shards, Phases& phases);

}  // namespace tesserec::embedding
