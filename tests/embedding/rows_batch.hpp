// SPDX-License-Identifier: Apache-2.0
// Tables and batches for row kernels, made from numbers so that two kinds of kernels get the same input.
#pragma once

#include <functional>
#include <map>
#include <numeric>

#include <tesserec/core/random.hpp>
#include <tesserec/embedding/row_blocks.hpp>
#include <tesserec/embedding/row_kernels.hpp>

namespace rows {

using namespace tesserec;
using namespace tesserec::embedding;

inline constexpr Range whole{0, block_count};

struct Table {
  Index rows = 5000, dim = 16;
  Range blocks = whole;
  optim::Settings optimizer = {};
  bool weighted = false, unpooled = false;  // unpooled: its last feature
  bool in_place = false;                    // sums and gradients have a stride and belong to whole tables
  ComputeKernel kernel = ComputeKernel::fused;
  bool replicated = false;
  Range columns = {};  // columns of the shard; empty: all
  Index features = 2;
  float scale = 1.0f;  // of weights
  NumberType format = NumberType::fp32;
  Range held() const { return columns.size() == 0 ? Range{0, dim} : columns; }
};

using Length = std::function<Index(Index sample, const Random& random)>;
/// Returns a length of 0 to `limit` ids.
inline Length up_to(Index limit) {
  return [limit](Index s, const Random& random) { return Index(random.below(std::uint64_t(limit) + 1, s, 0)); };
}

/// Requests of a batch to tables: two runs of samples, some features each; a third of all ids are one row.
class Batch {
 public:
  Batch(const std::vector<Table>& tables, Index samples, const Length& length, Index step) {
    lookups.resize(tables.size());
    for (std::size_t t = 0; t < tables.size(); ++t)
      for (const Range run : {Range{0, samples / 3}, Range{samples / 3, samples}}) {
        lookups[t].bags.emplace_back(), lookups[t].nodes.emplace_back(), lookups[t].sums_at.emplace_back();
        for (Index f = 0; f < tables[t].features; ++f)
          add(tables[t], lookups[t], run, f, length, Index(t) * 100 + step * 10 + f);
      }
    for (Index i = 0; i < gradients_size; ++i)
      gradients.push_back(i % 7 == 0 ? -0.0f : Random(21, Purpose::test, std::uint64_t(step)).normal(i, 0));
  }

  std::vector<ShardLookups> lookups;
  Index sums_size = 0, gradients_size = 0;
  std::vector<float> gradients;

 private:
  void add(const Table& table, ShardLookups& to, Range run, Index f, const Length& length, Index stream) {
    const Random random(20, Purpose::test, std::uint64_t(stream));
    const RowBlocks blocks(table.rows);
    const Range rows = blocks.rows(table.blocks);
    auto& offsets = *offsets_.emplace_back(std::make_unique<std::vector<Index>>(1, 0));
    auto& ids = *offsets_.emplace_back(std::make_unique<std::vector<Index>>());
    auto& weights = *weights_.emplace_back(std::make_unique<std::vector<float>>());
    for (Index s = run.begin; s < run.end; ++s) {
      const Index count = length(s, random);
      for (Index i = 1; i <= count; ++i) {
        const bool hot = random.below(3, s, 2 * i) == 0;
        ids.push_back(rows.begin +
                      (hot ? rows.size() / 2 : Index(random.below(std::uint64_t(rows.size()), s, 2 * i + 1))));
        weights.push_back(table.scale * random.normal(s, 100000 + i));
      }
      offsets.push_back(std::ssize(ids));
    }
    Bags bags;
    bags.first_sample = run.begin;
    bags.count = run.size();
    bags.offsets = offsets.data();
    bags.ids = ids.data();
    bags.weights = table.weighted ? weights.data() : nullptr;
    bags.unpooled = table.unpooled && f + 1 == table.features;
    const Index dim = table.held().size();
    if (table.in_place) bags.sums_stride = bags.gradients_stride = dim + 12;
    bags.gradients_at = gradients_size;
    const Index slots = (bags.unpooled ? bags.total() : bags.count) * std::max(dim, bags.sums_stride);
    to.nodes.back().push_back(subtree_nodes(BlockOf::by_rows(table.rows), table.blocks, bags));
    to.sums_at.back().push_back(sums_size);
    to.bags.back().push_back(bags);
    sums_size += std::max(slots, to.nodes.back().back().begin(bags.count) * dim);
    gradients_size += slots;
  }

  std::vector<std::unique_ptr<std::vector<Index>>> offsets_;
  std::vector<std::unique_ptr<std::vector<float>>> weights_;
};

/// Tables with their row kernels.
class Engine {
 public:
  Engine(const std::vector<Table>& tables, Kernels kernels) : place_(place_of(kernels)) {
    std::vector<RowKernels::Shard> shards;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const Table& table = tables[t];
      std::vector<std::string> features{"f", "g", "h"};
      features.resize(table.features);
      EmbeddingBagConfig config{"t" + std::to_string(t), table.rows,     table.dim, features, {},
                                table.weighted,          table.optimizer};
      config.format = table.format;
      tables_.push_back(std::make_unique<EmbeddingTable>(
          exec, TableShard{config, table.blocks, table.held(), table.optimizer, table.kernel, place_}));
      tables_.back()->initialize(exec, 5, Index(t));
      shards.push_back({tables_.back().get(), false, table.replicated ? Askers::own_rank : Askers::all_ranks});
    }
    kernels_ = make_row_kernels(kernels, shards, phases_);
  }
  RowKernels* operator->() { return kernels_.get(); }
  EmbeddingTable& table(std::size_t t) { return *tables_[t]; }

  /// Returns a batch in the form of the kernels' input, with these own lanes.
  RowBatch rows(const Batch& batch, const BatchSplit& split, Range own) {
    return {.lookups = batch.lookups,
            .split = &split,
            .own_lanes = own,
            .gradients = true,
            .lists = &lists_[batch.lookups.data()]};
  }
  std::vector<float> lookup(const Batch& batch, const BatchSplit& split, Range own) {
    const PlacedVector<float> sums(exec, place_, "tesserec::test::sums", batch.sums_size);
    sums.fill(exec, "tesserec::test::fill", 7.0f);
    kernels_->read(exec, rows(batch, split, own));
    kernels_->lookup(exec, rows(batch, split, own), sums.data());
    return sums.to_host(exec);
  }
  /// Moves all touched rows of a batch.
  void move(const Batch& batch, const BatchSplit& split, std::span<const double> rates, Index step) {
    std::vector<std::size_t> shards(tables_.size());
    std::iota(shards.begin(), shards.end(), std::size_t{0});
    const RowBatch of = rows(batch, split, {0, split.lane_count()});
    kernels_->move(exec, {.shards = shards, .rates = rates, .step = step, .batch = &of, .gradients = gradients(batch)});
  }
  /// Moves the rows of one shard by listed gradients, or returns the sums of a round.
  std::vector<float> move(std::size_t shard, const RowSums& sums, Index step, int round = 0,
                          const std::vector<float>& totals = {}) {
    const double rate = 0.1;
    std::vector<Index> slots = sums.rows;
    for (Index& slot : slots) slot -= tables_[shard]->store().first_row();
    const RowMoves::Rows rows{slots, sums.sums.data()};
    return kernels_
        ->move(exec, {.shards = {&shard, 1},
                      .rates = {&rate, 1},
                      .step = step,
                      .rows = {&rows, 1},
                      .round = round,
                      .totals = {&totals, 1}})
        .front();
  }
  /// Returns the gradients of a batch in the kernels' memory, valid until the next call.
  const float* gradients(const Batch& batch) {
    wait(exec);  // kernels may still read the previous gradients
    gradients_ = PlacedVector<float>(exec, place_, "tesserec::test::gradients", batch.gradients_size);
    gradients_.from_host(exec, batch.gradients);
    return gradients_.data();
  }
  /// Returns all weights and states.
  std::vector<float> numbers() const {
    std::vector<float> all;
    for (const auto& table : tables_) {
      const auto add = [&](const std::vector<float>& more) { all.insert(all.end(), more.begin(), more.end()); };
      std::vector<float> weights(table->rows().size() * table->dim());
      table->store().read(exec, 0, table->rows(), weights.data());
      add(weights);
      for (const RowMatrix& state : table->store().states()) add(state.values.to_host(exec));
    }
    return all;
  }

  const Exec exec{};

 private:
  Place place_;
  PlacedVector<float> gradients_;
  std::map<const ShardLookups*, std::unique_ptr<BatchLists>> lists_;  // of each batch
  std::vector<std::unique_ptr<EmbeddingTable>> tables_;
  Phases phases_;
  std::unique_ptr<RowKernels> kernels_;
};

}  // namespace rows
