// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tesserec/core/placed.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::embedding {

/// One rank's rectangle of one logical table: row blocks by columns.
struct TableShard {
  EmbeddingBagConfig config;
  Range blocks{0, block_count};
  Range columns;
  optim::Settings optimizer = {};  ///< the sparse one for the fused kernel, the dense one for the dense
  ComputeKernel kernel = ComputeKernel::fused;
  Place place = Place::host;  ///< where kernels read and write rows

  Index dim() const { return columns.size(); }
  /// Returns the rows of a table by BlockBy::rows; all of the table by hash.
  Range rows() const { return config.rows(blocks); }
};

/// Numbers of a row: its weights, or one state of the optimizer.
struct RowMatrix {
  std::string name;
  bool per_row = false;        ///< one number a row, which each owner of the row's columns keeps
  PlacedMatrix<float> values;  ///< [slots, columns]
};

/// Start values of a table of n rows by (seed, table, row, column): U(-sqrt(1/n), sqrt(1/n)), as in DLRM; or 1.
class StartValues {
 public:
  /// `index`: of the table among the model's.
  StartValues(const EmbeddingBagConfig& table, std::uint64_t seed, Index index);

  const Random& random() const { return random_; }
  float bound() const { return bound_; }
  bool ones() const { return ones_; }
  /// out[row][column]; the columns begin at a multiple of four.
  void operator()(Range rows, Range columns, float* out) const;
  /// Returns the root of the expected square of a row's length.
  double row_norm() const;

 private:
  Random random_;
  float bound_;
  Index columns_;
  bool ones_;
};

/// The rows of a shard with their optimizer states, wherever they lie. Kernels know slots: row `p` of matrices() is
/// the row that pin() gave slot p. A store may hold fewer slots than rows. It is used by one thread at a time.
class RowStore {
 public:
  /// `matrices`: weights, then optim::states. `ordered`: a row's slot is row - first_row(); nothing needs pinning.
  RowStore(const TableShard& shard, std::vector<RowMatrix> matrices, bool ordered = false);
  virtual ~RowStore() = default;
  RowStore(const RowStore&) = delete;

  const std::vector<RowMatrix>& matrices() const { return matrices_; }
  const PlacedMatrix<float>& weights() const { return matrices_.front().values; }
  std::span<const RowMatrix> states() const { return std::span(matrices_).subspan(1); }
  Index dim() const { return weights().columns(); }
  bool ordered() const { return ordered_; }
  Index first_row() const { return first_row_; }

  /// Makes rows resident until they are released as often; returns each row's slot. Error: there is no room.
  virtual std::vector<Index> pin(const Exec&, std::span<const Index>) { return {}; }
  /// Gives up slots that pin() returned. `moved`: kernels have written to these rows.
  virtual void release(std::span<const Index>, [[maybe_unused]] bool moved) {}
  /// Returns the row at a slot that is pinned.
  virtual Index row_at(Index slot) const { return first_row_ + slot; }

  /// Copies rows of a matrix from, and to, the host, whether they are resident or not. No row is pinned meanwhile.
  virtual void read(const Exec& exec, std::size_t matrix, Range rows, float* to) const = 0;
  virtual void write(const Exec& exec, std::size_t matrix, Range rows, const float* from) = 0;
  /// Returns the address of rows of a matrix that lie one after the other in the host's memory; null: they do not.
  virtual float* in_place(std::size_t, [[maybe_unused]] Range rows) const { return nullptr; }
  /// Gives all rows their start values. States keep theirs.
  virtual void initialise(const Exec& exec, const StartValues& start) = 0;

  struct Bytes {
    Index device = 0, host = 0, disk = 0;
  };
  virtual Bytes bytes() const;

  /// A row at a slot with its gradient, in the host's memory.
  optim::Row row(Index slot, const float* gradient) const {
    const auto state = [&](int s) { return states_.begin[s] + slot * states_.width[s]; };
    return {weights().data() + slot * dim(), gradient, {state(0), state(1), state(2)}, columns_, whole_dim_};
  }
  /// Fetches all that an update of a slot reads. Inline, because GCC drops the call of a function that only prefetches.
  [[gnu::always_inline]] void prefetch(Index slot) const {
    constexpr Index line = 16;  // floats
    for (const RowMatrix& matrix : matrices_) {
      const Index n = matrix.values.columns();
      for (Index c = 0; c < n; c += line) __builtin_prefetch(matrix.values.data() + slot * n + c, 1);
    }
  }

 private:
  std::vector<RowMatrix> matrices_;
  bool ordered_;
  Index first_row_;
  Range columns_;
  Index whole_dim_;
  struct {
    optim::States begin{};
    std::array<Index, optim::States().size()> width{};
  } states_;  // of matrices_, for the loop over rows
};

/// Allocates the matrices of a store with so many slots. States have their start values.
std::vector<RowMatrix> row_matrices(const Exec& exec, const TableShard& shard, Index slots);

using MakeRowStore = std::function<std::unique_ptr<RowStore>(const Exec&, const TableShard&)>;
/// Makes a store with all rows in the memory of kernels. Error: BlockBy::hash; too little memory.
std::unique_ptr<RowStore> memory_rows(const Exec& exec, const TableShard& shard);

/// Rows of one batch that are resident; they are released when this goes.
class PinnedRows {
 public:
  PinnedRows() = default;
  /// Pins rows of a store that is not ordered.
  PinnedRows(const Exec& exec, RowStore& store, std::span<const Index> rows)
      : store_(&store), slots_(store.pin(exec, rows)) {}
  PinnedRows(PinnedRows&& other) noexcept { swap(other); }
  PinnedRows& operator=(PinnedRows&& other) noexcept {
    PinnedRows(std::move(other)).swap(*this);
    return *this;
  }
  ~PinnedRows() {
    if (!slots_.empty()) store_->release(slots_, moved_);
  }

  /// One a row.
  const std::vector<Index>& slots() const { return slots_; }
  /// Says that kernels move these rows.
  void set_moved() { moved_ = true; }

 private:
  void swap(PinnedRows& other) noexcept {
    std::swap(store_, other.store_);
    slots_.swap(other.slots_);
    std::swap(moved_, other.moved_);
  }

  RowStore* store_ = nullptr;
  std::vector<Index> slots_;
  bool moved_ = false;
};

}  // namespace tesserec::embedding
