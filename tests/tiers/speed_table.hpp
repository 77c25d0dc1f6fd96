// SPDX-License-Identifier: Apache-2.0
// Table whose steps are timed.
#pragma once

#include <ctime>
#include <memory>
#include <vector>

#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/tiers/growing_rows.hpp>

namespace timed {

using namespace tesserec;

inline constexpr Index batch_size = 65536;

/// Returns the time that this thread has computed, which other programs disturb less than the time of day.
inline double seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// Nanoseconds per id.
struct StepTimes {
  double pin = 0, lookup = 0, move = 0;
};

/// Returns the ids of 64 bits that stand for numbers: different ones for different numbers.
inline Index hashed_id(Index number) { return Index(std::uint64_t(number + 1) * 0xD6E8FEB86659FD93u); }

/// One table on one rank, which trains batches of one id per sample.
class SpeedTable {
 public:
  SpeedTable(const embedding::TableShard& shard, const embedding::MakeRowStore& make)
      : dim_(shard.dim()),
        table_(exec_, shard, make),
        sums_(batch_size * dim_),
        gradients_(batch_size * dim_, 0.01f),
        offsets_(batch_size + 1) {
    const double begin = seconds();
    table_.initialize(exec_, 3, 0);
    initialize_ = seconds() - begin;
    kernels_ = embedding::make_row_kernels(Kernels::simd, {{&table_}}, phases_);
    for (Index i = 0; i <= batch_size; ++i) offsets_[i] = i;
  }

  const embedding::RowStore& store() const { return table_.store(); }
  /// Returns the seconds of initialize().
  double initialize_seconds() const { return initialize_; }

  StepTimes step(const std::vector<Index>& ids) {
    std::vector<embedding::ShardLookups> lookups(1);
    lookups[0].clear(1);
    lookups[0].bags[0].push_back({.count = batch_size,
                                  .offsets = offsets_.data(),
                                  .ids = ids.data(),
                                  .sums_stride = dim_,
                                  .gradients_stride = dim_});
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
  Index dim_;
  Exec exec_;
  Phases phases_;
  embedding::EmbeddingTable table_;
  std::unique_ptr<embedding::RowKernels> kernels_;
  std::vector<float> sums_, gradients_;
  std::vector<Index> offsets_;
  double initialize_ = 0;
};

inline embedding::TableShard shard_of(Index rows, Index dim, embedding::BlockBy block_by) {
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

}  // namespace timed
