// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>
#include <utility>

#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/core/short_floats.hpp>
#include <tesserec/embedding/row_store.hpp>

namespace tesserec::embedding {
namespace {

constexpr Index drawn_per_task = 4096;
constexpr Index numbers_at_once = 1 << 20;  // that are converted on their way to or from a device

/// Draws start values of a shard's columns in device memory, in the format of `to`.
template <class Number>
struct DrawRows {
  std::uint32_t key0, key1;
  Index first_row, first_quad, columns;
  float bound;
  bool is_bf16;
  Number* to;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    const std::uint64_t row = first_row + i / columns;
    const Index column = i % columns;
    std::uint32_t words[4] = {std::uint32_t(row), std::uint32_t(row >> 32), std::uint32_t(first_quad + column / 4), 0};
    philox::ten_rounds(key0, key1, words);
    const float drawn = philox::uniform(words[column % 4], bound);
    if constexpr (std::is_same_v<Number, float>)
      to[i] = drawn;
    else
      to[i] = is_bf16 ? to_bf16(drawn) : to_fp16(drawn);
  }
};

/// Store with all rows of a shard in the memory of kernels, in the order of their ids.
class MemoryRows : public RowStore {
 public:
  MemoryRows(const Exec& exec, const TableShard& shard)
      : RowStore(shard, row_matrices(exec, shard, shard.rows().size()), true), columns_(shard.columns) {}

  void read(const Exec& exec, std::size_t matrix, Range rows, float* to) const override {
    const RowMatrix& from = matrices()[matrix];
    if (!from.is_short())
      return copy(exec, from.place(), values_at(from, rows), Place::host, to, rows.size() * from.columns());
    in_pieces(from, rows, [&](Index first, Index n) {
      std::vector<std::uint16_t> halves(n);
      const std::uint16_t* const at = halves_at(from, rows) + first;
      copy(exec, from.place(), at, Place::host, halves.data(), n);
      widen(from.format, n, halves.data(), to + first);
    });
  }
  void write(const Exec& exec, std::size_t matrix, Range rows, const float* from) override {
    const RowMatrix& to = matrices()[matrix];
    if (!to.is_short())
      return copy(exec, Place::host, from, to.place(), values_at(to, rows), rows.size() * to.columns());
    in_pieces(to, rows, [&](Index first, Index n) {
      std::vector<std::uint16_t> halves(n);
      rounded_ += narrow(to.format, n, from + first, halves.data());
      copy(exec, Place::host, std::as_const(halves).data(), to.place(), halves_at(to, rows) + first, n);
    });
  }
  float* in_place(std::size_t matrix, Range rows) const override {
    const RowMatrix& held = matrices()[matrix];
    return held.place() == Place::host && !held.is_short() ? values_at(held, rows) : nullptr;
  }
  void initialize(const Exec& exec, const StartValues& start) override;

 private:
  float* values_at(const RowMatrix& matrix, Range rows) const {
    return matrix.values.data() + (rows.begin - first_row()) * matrix.columns();
  }
  std::uint16_t* halves_at(const RowMatrix& matrix, Range rows) const {
    return matrix.halves.data() + (rows.begin - first_row()) * matrix.columns();
  }
  /// Calls body(first, n) for pieces of the rows' numbers.
  template <class Body>
  static void in_pieces(const RowMatrix& matrix, Range rows, const Body& body) {
    const Index numbers = rows.size() * matrix.columns();
    for (Index first = 0; first < numbers; first += numbers_at_once)
      body(first, std::min(numbers_at_once, numbers - first));
  }
  template <class Number>
  void draw_on_device(const Exec& exec, const StartValues& start, const PlacedMatrix<Number>& to) const {
    over_numbers(device_of(exec), "tesserec::embedding::initialize", to.rows() * to.columns(),
                 DrawRows<Number>{start.random().key()[0], start.random().key()[1], first_row(), columns_.begin / 4,
                                  to.columns(), start.bound(), start.format() == NumberType::bf16, to.data()});
  }

  Range columns_;
};

void MemoryRows::initialize(const Exec& exec, const StartValues& start) {
  const RowMatrix& to = weight_matrix();
  const Index rows = to.slots(), first = first_row();
  const Range columns = columns_;
  if (to.place() == Place::host) {
    parallel_for(exec, "tesserec::embedding::initialize", (rows + drawn_per_task - 1) / drawn_per_task,
                 [=, &to](Index task) noexcept {
                   const Index begin = task * drawn_per_task, end = std::min(rows, begin + drawn_per_task);
                   const Range drawn{first + begin, first + end};
                   if (!to.is_short()) return start(drawn, columns, to.values.data() + begin * columns.size());
                   std::vector<float> values(drawn.size() * columns.size());
                   start(drawn, columns, values.data());
                   to.put(values.data(), std::ssize(values), to.row(begin));
                 });
  } else if (start.ones()) {
    if (to.is_short())
      to.halves.fill(exec, "tesserec::embedding::fill", to.format == NumberType::bf16 ? to_bf16(1.0f) : to_fp16(1.0f));
    else
      to.values.fill(exec, "tesserec::embedding::fill", 1.0f);
  } else if (to.is_short()) {
    draw_on_device(exec, start, to.halves);
  } else {
    draw_on_device(exec, start, to.values);
  }
  wait(exec);
}

}  // namespace

std::unique_ptr<RowStore> memory_rows(const Exec& exec, const TableShard& shard) {
  const auto refuse = [&](const char* kernel) {
    fail("table ", shard.config.name, " has kernel \"", kernel,
         "\", but its store has all rows in memory; give the sharder another store (tiers::", kernel, "_rows)");
  };
  if (shard.kernel == ComputeKernel::disk) refuse("disk");
  if (shard.kernel == ComputeKernel::host_cached) refuse("host_cached");
  if (shard.config.block_by == BlockBy::hash)
    fail("table ", shard.config.name,
         ": the store in memory does not support blocks by hash; set block_by to rows, or use another store");
  return std::make_unique<MemoryRows>(exec, shard);
}

}  // namespace tesserec::embedding
