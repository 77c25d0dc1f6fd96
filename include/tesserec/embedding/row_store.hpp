// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/placed.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::embedding {

/// Rectangle of one logical table on one rank: row blocks x columns.
struct TableShard {
  EmbeddingBagConfig config;
  Range blocks{0, block_count};
  Range columns;
  optim::Settings optimizer = {};  ///< sparse optimizer for the fused kernel, dense one for the dense kernel
  ComputeKernel kernel = ComputeKernel::fused;
  Place place = Place::host;  ///< memory where kernels read and write rows

  Index dim() const { return columns.size(); }
  /// Returns the rows of the blocks by BlockBy::rows, and all rows of the table by BlockBy::hash.
  Range rows() const { return config.rows(blocks); }
};

/// Numbers of all rows: the weights, or one state of the optimizer.
struct RowMatrix {
  std::string name;
  bool per_row = false;  ///< one number per row, which each owner of the row's columns keeps
  NumberType format = NumberType::fp32;
  PlacedMatrix<float> values;          ///< [slots, columns]; empty if the format has 16 bits
  PlacedMatrix<std::uint16_t> halves;  ///< the same in a format of 16 bits

  bool is_short() const { return format != NumberType::fp32; }
  Index slots() const { return is_short() ? halves.rows() : values.rows(); }
  Index columns() const { return is_short() ? halves.columns() : values.columns(); }
  Place place() const { return is_short() ? halves.place() : values.place(); }
  Index row_bytes() const { return columns() * bytes_of(format); }
  /// Returns the address of a slot's numbers.
  std::byte* row(Index slot) const {
    std::byte* const begin =
        is_short() ? reinterpret_cast<std::byte*>(halves.data()) : reinterpret_cast<std::byte*>(values.data());
    return begin + slot * row_bytes();
  }
  /// Copies n numbers of the host's memory, from an address that row() gave, and widens them.
  void get(const std::byte* from, Index n, float* to) const;
  /// Copies n numbers to the host's memory, rounded to nearest. Returns how many of them the format does not have.
  Index put(const float* from, Index n, std::byte* to) const;
};

/// Start values of a table of n rows: U(-sqrt(1/n), sqrt(1/n)) by (seed, table, row, column), as in DLRM, or 1. They
/// are rounded to nearest in tables of 16 bits: each number is rounded once, and its error is symmetric.
class StartValues {
 public:
  /// Takes the table, the seed, and the index of the table among the tables of the model.
  StartValues(const EmbeddingBagConfig& table, std::uint64_t seed, Index index);

  const Random& random() const { return random_; }
  float bound() const { return bound_; }
  NumberType format() const { return format_; }
  bool ones() const { return ones_; }
  /// Writes the start values to out[row][column]. The columns must begin at a multiple of four.
  void operator()(Range rows, Range columns, float* out) const;
  /// Writes the same numbers of each row to its `out` [columns.size()]. `columns.begin` must be a multiple of 4.
  /// Allocates nothing.
  void rows(std::span<const DrawnRow> rows, Range columns) const;
  /// Returns the root mean square of a row's Euclidean length.
  double row_norm() const;

 private:
  Random random_;
  float bound_;
  Index columns_;
  NumberType format_;
  bool ones_;
};

/// Use of a cache of rows since its store was made.
struct CacheUse {
  Index slots = 0;          ///< rows that the cache can hold
  Index pinned = 0;         ///< rows pinned, each use counted
  Index reads = 0;          ///< rows read from the file, or copied to the device, for pin()
  Index bytes_read = 0;     ///< bytes read from the file, or copied to the device, for pin()
  Index bytes_written = 0;  ///< bytes written to the file, or copied back from the device
  std::string io;           ///< interfaces by which rows are transferred

  /// Returns the share of the pinned rows that needed no read. `pinned` must not be 0.
  double hit_rate() const { return 1 - double(reads) / double(pinned); }
  /// Returns the use since an earlier state of the same caches.
  CacheUse since(const CacheUse& then) const {
    return {slots,
            pinned - then.pinned,
            reads - then.reads,
            bytes_read - then.bytes_read,
            bytes_written - then.bytes_written,
            io};
  }
  /// Adds the numbers of another cache.
  CacheUse& operator+=(const CacheUse& other) {
    slots += other.slots;
    pinned += other.pinned;
    reads += other.reads;
    bytes_read += other.bytes_read;
    bytes_written += other.bytes_written;
    return *this;
  }
};

/// Rows of a shard with their optimizer states, in any memory. Kernels address slots: row `p` of matrices() is the row
/// to which pin() gave slot p. A store may hold fewer slots than rows. One thread at a time uses the store.
class RowStore {
 public:
  /// Takes the weights, then the matrices of optim::states. `ordered`: a row's slot is row - first_row(), and nothing
  /// needs pinning.
  RowStore(const TableShard& shard, std::vector<RowMatrix> matrices, bool ordered = false);
  virtual ~RowStore() = default;
  RowStore(const RowStore&) = delete;

  const std::vector<RowMatrix>& matrices() const { return matrices_; }
  const RowMatrix& weight_matrix() const { return matrices_.front(); }
  /// Returns the weights [slots, dim] of a store in fp32; empty in other formats.
  const PlacedMatrix<float>& weights() const { return weight_matrix().values; }
  std::span<const RowMatrix> states() const { return std::span(matrices_).subspan(1); }
  Index dim() const { return columns_.own.size(); }
  bool ordered() const { return ordered_; }
  Index first_row() const { return first_row_; }

  /// Makes rows resident and returns the slot of each row. A row stays until it is released as often as it was pinned.
  /// Its numbers are in the slot after wait_pinned(). Throws Error if the slots do not suffice.
  virtual std::vector<Index> pin(const Exec&, std::span<const Index>) { return {}; }
  /// Pins the rows of a training batch as pin() does. A table that grows counts their ids, and gives rows to some of
  /// them. pin() changes no such count. Each training batch calls this function once, in the order of training, also
  /// without ids.
  virtual std::vector<Index> pin_to_train(const Exec& exec, std::span<const Index> rows) { return pin(exec, rows); }
  /// Blocks until pinned slots hold the numbers of their rows. Throws Error if a row could not be read.
  virtual void wait_pinned(std::span<const Index>) {}
  /// Releases slots that pin() returned. `moved`: kernels have written to these rows.
  virtual void release(std::span<const Index>, [[maybe_unused]] bool moved) {}
  /// Returns the row at a pinned slot.
  virtual Index row_at(Index slot) const { return first_row_ + slot; }
  /// Returns the address, in the memory of kernels, of the row at each slot; null if the store keeps no such list.
  /// Kernels of a device round weights of 16 bits by the numbers of rows.
  virtual const Index* rows_of_slots() const { return nullptr; }
  /// Returns whether a pinned slot holds a row of the table. Kernels may write to other slots, which lose the update.
  virtual bool has_row(Index) const { return true; }

  /// Copies rows of a matrix to (read) or from (write) the host, resident or not. No row may be pinned meanwhile.
  /// Weights of 16 bits are widened, and rounded to nearest. rounded() counts the numbers that their format lacks.
  virtual void read(const Exec& exec, std::size_t matrix, Range rows, float* to) const = 0;
  virtual void write(const Exec& exec, std::size_t matrix, Range rows, const float* from) = 0;
  /// Returns how many of the numbers that write() took so far are stored as another number.
  Index rounded() const { return rounded_; }
  /// Returns the address of consecutive rows of a matrix in the host's memory, or null if they are not consecutive
  /// there, or not in fp32.
  virtual float* in_place(std::size_t, [[maybe_unused]] Range rows) const { return nullptr; }
  /// Gives all rows their start values. States keep their values.
  virtual void initialize(const Exec& exec, const StartValues& start) = 0;

  struct Bytes {
    Index device = 0, host = 0, disk = 0;
  };
  /// Returns the bytes of weights and states in each kind of memory.
  virtual Bytes bytes() const;
  /// Returns the use of the cache so far, if the store has one.
  virtual CacheUse cache_use() const { return {}; }

  /// Returns the row at a slot with its gradient. The store must lie in the host's memory. `widened`: weights that lie
  /// elsewhere, for a store that is not in fp32.
  optim::Row row(Index slot, const float* gradient, float* widened = nullptr) const {
    const auto state = [&](int s) { return begins_.states[s] + slot * begins_.widths[s]; };
    float* const own = widened == nullptr ? begins_.weights + slot * dim() : widened;
    return {own, gradient, {state(0), state(1), state(2)}, columns_.own, columns_.whole};
  }
  /// Prefetches all numbers of a slot for an update. Inline, because GCC drops the call of a function that only
  /// prefetches.
  [[gnu::always_inline]] void prefetch(Index slot) const {
    constexpr Index line = 64;  // bytes
    for (const auto& [begin, row_bytes] : stored_)
      for (Index at = 0; at < row_bytes; at += line) __builtin_prefetch(begin + slot * row_bytes + at, 1);
  }

 protected:
  Index rounded_ = 0;  ///< numbers that write() has rounded so far

 private:
  std::vector<RowMatrix> matrices_;
  std::vector<std::pair<const std::byte*, Index>> stored_;  // begin and bytes of a row of matrices_, for prefetch()
  bool ordered_;
  Index first_row_;
  struct {
    Range own;
    Index whole;
  } columns_;  // of the shard, and the number of the table's
  struct {
    float* weights = nullptr;
    optim::States states{};
    std::array<Index, optim::States().size()> widths{};
  } begins_;  // of matrices_ in fp32, for the loop over rows
};

/// Returns the value with which all states of an optimizer start.
float state_start(const optim::Settings& optimizer);

/// Allocates the matrices of a store with `slots` slots, and fills the states with their start values. Blocks.
std::vector<RowMatrix> row_matrices(const Exec& exec, const TableShard& shard, Index slots);

using MakeRowStore = std::function<std::unique_ptr<RowStore>(const Exec&, const TableShard&)>;
/// Makes a store with all rows in the memory of kernels. Throws Error for BlockBy::hash, or if the memory does not
/// suffice.
std::unique_ptr<RowStore> memory_rows(const Exec& exec, const TableShard& shard);

/// Resident rows of one batch, which the destructor releases.
class PinnedRows {
 public:
  PinnedRows() = default;
  /// Pins rows of a store that is not ordered.
  PinnedRows(const Exec& exec, RowStore& store, std::span<const Index> rows)
      : store_(&store), slots_(store.pin(exec, rows)) {}
  /// Takes slots that RowStore::pin_to_train() returned.
  PinnedRows(RowStore& store, std::vector<Index> slots) : store_(&store), slots_(std::move(slots)) {}
  PinnedRows(PinnedRows&& other) noexcept { swap(other); }
  PinnedRows& operator=(PinnedRows&& other) noexcept {
    PinnedRows(std::move(other)).swap(*this);
    return *this;
  }
  ~PinnedRows() {
    if (!slots_.empty()) store_->release(slots_, moved_);
  }

  /// Blocks until the rows can be read (RowStore::wait_pinned).
  void wait() const {
    if (!slots_.empty()) store_->wait_pinned(slots_);
  }
  /// Returns the slots of the rows, in the order of pinning.
  const std::vector<Index>& slots() const { return slots_; }
  /// Marks the rows as written by kernels, for the release.
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
