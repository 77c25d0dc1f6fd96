// SPDX-License-Identifier: Apache-2.0
// Speed of growing tables beside a table in memory. Hidden: `test_tiers "[speed]"` prints a table.
#include <cmath>
#include <ctime>
#include <iostream>
#include <memory>
#include <random>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/tiers/growing_rows.hpp>

using namespace tesserec;
using tiers::Eviction;

namespace {

constexpr Index batch_size = 65536;
constexpr Index dim = 64;

/// Returns the time that this thread has computed, which other programs disturb less than the time of day.
double seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// Nanoseconds per id, added up.
struct StepTimes {
  double pin = 0, lookup = 0, move = 0;
};

/// One table on one rank, which trains batches of one id per sample.
class SpeedTable {
 public:
  SpeedTable(const embedding::TableShard& shard, const embedding::MakeRowStore& make)
      : table_(exec_, shard, make),
        sums_(batch_size * dim),
        gradients_(batch_size * dim, 0.01f),
        offsets_(batch_size + 1) {
    const double begin = seconds();
    table_.initialize(exec_, 3, 0);
    initialize_ = seconds() - begin;
    kernels_ = embedding::make_row_kernels(Kernels::simd, {{&table_}}, phases_);
    for (Index i = 0; i <= batch_size; ++i) offsets_[i] = i;
  }

  /// Returns the seconds of initialize().
  double initialize_seconds() const { return initialize_; }

  StepTimes step(const std::vector<Index>& ids) {
    std::vector<embedding::ShardLookups> lookups(1);
    lookups[0].clear(1);
    lookups[0].bags[0].push_back({.count = batch_size,
                                  .offsets = offsets_.data(),
                                  .ids = ids.data(),
                                  .sums_stride = dim,
                                  .gradients_stride = dim});
    lookups[0].nodes[0].emplace_back();
    lookups[0].sums_at[0].push_back(0);
    const BatchSplit split(Lanes(8), 1, batch_size);
    std::unique_ptr<embedding::BatchLists> lists;
    const embedding::RowBatch batch{
        .lookups = lookups, .split = &split, .own_lanes = {0, 8}, .gradients = true, .lists = &lists};
    const double begin = seconds();
    lookups[0].pin(exec_, table_.store(), true);
    lookups[0].pinned.wait();
    const double pinned = seconds();
    kernels_->read(exec_, batch);
    kernels_->lookup(exec_, batch, sums_.data());
    exec_.fence();
    const double looked_up = seconds();
    const std::vector<std::size_t> shards{0};
    const std::vector<double> rates{0.01};
    kernels_->move(exec_,
                   {.shards = shards, .rates = rates, .step = 1, .batch = &batch, .gradients = gradients_.data()});
    exec_.fence();
    const double moved = seconds();
    lookups[0].pinned.set_moved();
    lookups[0].pinned = {};
    const double end = seconds(), scale = 1e9 / double(batch_size);
    return {(pinned - begin + end - moved) * scale, (looked_up - pinned) * scale, (moved - looked_up) * scale};
  }

 private:
  Exec exec_;
  Phases phases_;
  embedding::EmbeddingTable table_;
  std::unique_ptr<embedding::RowKernels> kernels_;
  std::vector<float> sums_, gradients_;
  std::vector<Index> offsets_;
  double initialize_ = 0;
};

embedding::TableShard shard_of(Index rows, embedding::BlockBy block_by) {
  embedding::TableShard shard;
  shard.config.name = "t";
  shard.config.num_embeddings = rows;
  shard.config.embedding_dim = dim;
  shard.config.feature_names = {"f"};
  shard.config.block_by = block_by;
  shard.columns = {0, dim};
  shard.optimizer.type = optim::Type::rowwise_adagrad;
  return shard;
}

/// Trains the batches and prints the medians per id.
void print(const std::string& name, SpeedTable& table, const std::vector<std::vector<Index>>& batches) {
  std::vector<double> pins, lookups, moves;
  for (const std::vector<Index>& ids : batches) {
    const StepTimes times = table.step(ids);
    pins.push_back(times.pin);
    lookups.push_back(times.lookup);
    moves.push_back(times.move);
  }
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
    return values[values.size() / 2];
  };
  const double pin = median(pins), lookup = median(lookups), move = median(moves);
  std::cout << left(name, 44) << " | " << right(significant(pin, 3), 5) << " | " << right(significant(lookup, 3), 5)
            << " | " << right(significant(move, 3), 5) << " | " << right(significant(pin + lookup + move, 3), 5)
            << "\n";
}

/// Draws batches of rows: `zipf` by Zipf's law with exponent 1.05, else equally.
std::vector<std::vector<Index>> draw(Index rows, int count, bool zipf) {
  std::mt19937_64 random{7};
  std::uniform_real_distribution<double> uniform;
  std::vector<std::vector<Index>> result(count, std::vector<Index>(batch_size));
  for (auto& batch : result)
    for (Index& row : batch) {
      row = Index(random() % std::uint64_t(rows));
      if (!zipf) continue;
      const double top = std::pow(double(rows), -0.05);  // inverse of the distribution of x^-1.05 on [1, rows]
      const double x = std::pow(1 - uniform(random) * (1 - top), -20.0);
      row = Index(std::min(x, double(rows)) - 1) * 7919 % rows;
    }
  return result;
}

/// Makes ids of 64 random bits from rows.
std::vector<std::vector<Index>> ids_of(std::vector<std::vector<Index>> batches, Index first = 0) {
  for (auto& batch : batches)
    for (Index& row : batch) row = Index(std::uint64_t(row + first + 1) * 0xD6E8FEB86659FD93u);
  return batches;
}

}  // namespace

TEST_CASE("speed of growing_rows beside a table in memory", "[.][speed]") {
  for (const Index rows : {Index{1} << 18, Index{1} << 21}) {
    const Index capacity = rows + rows / 4;
    std::cout << rows << " ids of " << dim << " columns, row-wise Adagrad, batches of " << batch_size
              << ": medians [ns per id]\n"
              << left("table", 44) << " |   pin | look  |  move | all\n";
    std::vector<std::vector<Index>> all;
    for (Index begin = 0; begin < rows; begin += batch_size) {
      all.emplace_back(batch_size);
      for (Index i = 0; i < batch_size; ++i) all.back()[i] = (begin + i) * 7919 % rows;
    }
    const auto zipf = draw(rows, 30, true), even = draw(rows, 30, false);
    {
      SpeedTable fixed(shard_of(rows, embedding::BlockBy::rows), embedding::memory_rows);
      std::cout << left("in memory, initialize() [ns per row]", 44) << " | "
                << right(significant(1e9 * fixed.initialize_seconds() / double(rows), 3), 5) << "\n";
      print("in memory, each row once", fixed, all);
      print("in memory, Zipf", fixed, zipf);
      print("in memory, equal", fixed, even);
    }
    const embedding::TableShard shard = shard_of(capacity, embedding::BlockBy::hash);
    {
      SpeedTable growing(shard, tiers::growing_rows({}));
      print("growing, new ids", growing, ids_of(all));
      print("growing, Zipf", growing, ids_of(zipf));
      print("growing, equal", growing, ids_of(even));
    }
    for (const Eviction eviction : {Eviction::lru, Eviction::lfu}) {
      SpeedTable growing(shard, tiers::growing_rows({.eviction = eviction}));
      for (Index round = 0; round < 2; ++round) print("growing, new ids", growing, ids_of(all, round * rows));
      print("growing, full, all new, eviction " + std::to_string(int(eviction)), growing, ids_of(all, 2 * rows));
    }
    SpeedTable counted(shard, tiers::growing_rows({.admit_after = 3}));
    print("growing, admit_after 3, Zipf", counted, ids_of(zipf));
  }
}
