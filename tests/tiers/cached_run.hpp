// SPDX-License-Identifier: Apache-2.0
// A store with a cache beside one with all rows in host memory: both are trained by the same random batches.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/short_floats.hpp>
#include <tesserec/embedding/row_store.hpp>

namespace cached {

using namespace tesserec;
using embedding::RowStore;

inline embedding::TableShard shard_of(Index rows, Index dim, Range columns, optim::Type type) {
  embedding::TableShard shard;
  shard.config.name = "t";
  shard.config.num_embeddings = rows;
  shard.config.embedding_dim = dim;
  shard.columns = columns;
  shard.optimizer.type = type;
  shard.optimizer.initial_accumulator = 0.25;
  return shard;
}

inline std::vector<float> numbers(const Exec& exec, const RowStore& store, std::size_t matrix, Range rows) {
  std::vector<float> all(std::size_t(rows.size() * store.matrices()[matrix].columns()));
  store.read(exec, matrix, rows, all.data());
  return all;
}

/// Adds `by` times (column + 1) to the numbers of slots.
struct AddToSlots {
  const Index* slots;
  void* values;
  Index columns;
  NumberType format;
  float by;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    for (Index c = lanes.lane; c < columns; c += lanes.width) {
      const Index at = slots[item] * columns + c;
      const float more = by * float(c + 1);
      auto* const halves = static_cast<std::uint16_t*>(values);
      if (format == NumberType::fp32)
        static_cast<float*>(values)[at] += more;
      else if (format == NumberType::bf16)
        halves[at] = to_bf16(from_bf16(halves[at]) + more);
      else
        halves[at] = to_fp16(from_fp16(halves[at]) + more);
    }
  }
};

/// Adds a number of the batch to all numbers of the slots, each row once, in the memory of the store.
inline void move(const Exec& exec, const RowStore& store, std::vector<Index> once, float by) {
  std::ranges::sort(once);
  once.erase(std::unique(once.begin(), once.end()), once.end());
  const bool on_host = store.weight_matrix().place() == Place::host;
  const Device device = device_of(exec);
  const PlacedVector<Index> slots(exec, Place::device, "tesserec::test::slots", std::ssize(once));
  slots.from_host(exec, once);
  for (const embedding::RowMatrix& matrix : store.matrices()) {
    const AddToSlots add{slots.data(), matrix.row(0), matrix.columns(), matrix.format, by};
    if (!on_host) {
      launch(device, "tesserec::test::add_to_slots", std::ssize(once), matrix.columns(), add);
      continue;
    }
    AddToSlots here = add;
    here.slots = once.data();
    for (Index item = 0; item < std::ssize(once); ++item) here(LaneGroup(), item);
  }
  device.fence();
}

inline void require_equal(const Exec& exec, const RowStore& store, const RowStore& expected, Range rows) {
  for (std::size_t m = 0; m < store.matrices().size(); ++m) {
    INFO(store.matrices()[m].name);
    const bool equal = numbers(exec, store, m, rows) == numbers(exec, expected, m, rows);
    REQUIRE(equal);  // Catch would print all numbers
  }
}

/// Writes rows to an Adagrad store of 2000 rows and 8 columns, resident or not, and reads them.
inline void require_written(const Exec& exec, RowStore& store) {
  std::vector<float> weights(2000 * 8), sums(2000 * 8);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = float(i);
    sums[i] = float(i) + 0.5f;
  }
  store.write(exec, 0, {0, 2000}, weights.data());
  store.write(exec, 1, {0, 2000}, sums.data());
  REQUIRE(numbers(exec, store, 0, {0, 2000}) == weights);
  REQUIRE(numbers(exec, store, 1, {0, 2000}) == sums);
}

/// Trains a store with a cache and one in host memory for some batches of random rows, of which two are in flight at a
/// time.
inline void train_both(embedding::TableShard shard, const embedding::MakeRowStore& make, int batches) {
  const Exec exec;
  const auto store = make(exec, shard);
  shard.place = Place::host;
  shard.kernel = embedding::ComputeKernel::fused;
  const auto memory = embedding::memory_rows(exec, shard);
  const embedding::StartValues start(shard.config, 3, 0);
  store->initialize(exec, start);
  memory->initialize(exec, start);
  std::mt19937 random{5};
  const Range rows = shard.rows();
  const Index slots = store->weight_matrix().slots();
  std::vector<Index> before;
  embedding::PinnedRows pinned_before;
  for (int batch = 0; batch < batches; ++batch) {
    std::vector<Index> list(std::size_t(slots / 3));
    for (Index& row : list) {
      const Index of = random() % 2 == 0 ? std::min<Index>(rows.size(), 40) : rows.size();
      row = rows.begin + Index(random()) % of;
    }
    embedding::PinnedRows pinned(exec, *store, list);
    if (!before.empty()) {
      pinned_before.wait();
      const std::vector<Index>& held = pinned_before.slots();
      for (std::size_t i = 0; i < held.size(); ++i) REQUIRE(store->row_at(held[i]) == before[i]);
      std::vector<Index> in_order = before;
      for (Index& row : in_order) row -= memory->first_row();
      move(exec, *store, held, float(batch));
      move(exec, *memory, in_order, float(batch));
      pinned_before.set_moved();
    }
    pinned_before = std::move(pinned);
    before = std::move(list);
    if (batch % 100 == 50) require_equal(exec, *store, *memory, {rows.begin, rows.begin + rows.size() / 2});
  }
  pinned_before = {};
  require_equal(exec, *store, *memory, rows);
}

}  // namespace cached
