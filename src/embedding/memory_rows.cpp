// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/embedding/row_store.hpp>

namespace tesserec::embedding {
namespace {

constexpr Index drawn_per_task = 4096;

/// Draws start values of a shard's columns in device memory.
struct DrawRows {
  std::uint32_t key0, key1;
  Index first_row, first_quad, columns;
  float bound;
  float* to;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    const std::uint64_t row = first_row + i / columns;
    const Index column = i % columns;
    std::uint32_t words[4] = {std::uint32_t(row), std::uint32_t(row >> 32), std::uint32_t(first_quad + column / 4), 0};
    philox::ten_rounds(key0, key1, words);
    to[i] = philox::uniform(words[column % 4], bound);
  }
};

/// Store with all rows of a shard in the memory of kernels, in the order of their ids.
class MemoryRows : public RowStore {
 public:
  MemoryRows(const Exec& exec, const TableShard& shard)
      : RowStore(shard, row_matrices(exec, shard, shard.rows().size()), true), columns_(shard.columns) {}

  void read(const Exec& exec, std::size_t matrix, Range rows, float* to) const override {
    const PlacedMatrix<float>& from = matrices()[matrix].values;
    copy(exec, from.place(), at(matrix, rows), Place::host, to, rows.size() * from.columns());
  }
  void write(const Exec& exec, std::size_t matrix, Range rows, const float* from) override {
    const PlacedMatrix<float>& to = matrices()[matrix].values;
    copy(exec, Place::host, from, to.place(), at(matrix, rows), rows.size() * to.columns());
  }
  float* in_place(std::size_t matrix, Range rows) const override {
    return weights().place() == Place::host ? at(matrix, rows) : nullptr;
  }
  void initialize(const Exec& exec, const StartValues& start) override;

 private:
  float* at(std::size_t matrix, Range rows) const {
    const PlacedMatrix<float>& values = matrices()[matrix].values;
    return values.data() + (rows.begin - first_row()) * values.columns();
  }

  Range columns_;
};

void MemoryRows::initialize(const Exec& exec, const StartValues& start) {
  const Index first = first_row(), rows = weights().rows();
  const Range columns = columns_;
  float* const data = weights().data();
  if (start.ones()) {
    weights().fill(exec, "tesserec::embedding::fill", 1.0f);
  } else if (weights().place() == Place::device) {
    over_numbers(device_of(exec), "tesserec::embedding::initialize", rows * columns.size(),
                 DrawRows{start.random().key()[0], start.random().key()[1], first, columns.begin / 4, columns.size(),
                          start.bound(), data});
  } else {
    parallel_for(exec, "tesserec::embedding::initialize", (rows + drawn_per_task - 1) / drawn_per_task,
                 [=](Index task) noexcept {
                   const Index begin = task * drawn_per_task;
                   start({first + begin, first + std::min(rows, begin + drawn_per_task)}, columns,
                         data + begin * columns.size());
                 });
  }
  wait(exec);
}

}  // namespace

std::unique_ptr<RowStore> memory_rows(const Exec& exec, const TableShard& shard) {
  if (shard.kernel == ComputeKernel::disk)
    fail("table ", shard.config.name,
         " has kernel \"disk\", but its store has all rows in memory; give the sharder another store "
         "(tiers::disk_rows)");
  if (shard.config.block_by == BlockBy::hash)
    fail("table ", shard.config.name,
         ": the store in memory does not support blocks by hash; set block_by to rows, or use another store");
  return std::make_unique<MemoryRows>(exec, shard);
}

}  // namespace tesserec::embedding
