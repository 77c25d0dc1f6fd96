// SPDX-License-Identifier: Apache-2.0
#include "row_bucket.hpp"

#include <algorithm>

#include "row_names.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec::embedding {
namespace {

/// Scatters the gradients of listed rows to their slots in the dense gradient. Without gradients it writes 0.
struct ScatterRows {
  RowList rows;
  const float* gradients;
  const DeviceShard* shards;
  Index dim;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    if (rows.count != nullptr && item >= *rows.count) return;
    const std::uint64_t key = rows.keys[item], row = key & ((std::uint64_t{1} << rows.row_bits) - 1);
    float* const at = shards[key >> rows.row_bits].dense_gradient + Index(row) * dim;
    for (Index c = lanes.lane; c < dim; c += lanes.width)
      at[c] = gradients == nullptr ? 0.0f : gradients[item * dim + c];
  }
};

struct FirstLanes {
  RunArrays runs;
  std::int32_t* leaves;
  TESSEREC_FUNCTION void operator()(const LaneGroup&, Index run) const {
    leaves[run] = runs.uses[runs.begin[run]].lane();
  }
};

template <class T>
std::vector<T> download(const Device& exec, const T* data, Index count) {
  std::vector<T> host(static_cast<std::size_t>(count));
  copy_to_host(exec, data, host.data(), count);
  exec.fence();
  return host;
}

Index max_slots_of(const std::vector<EmbeddingTable*>& tables) {
  Index slots = 0;
  for (const EmbeddingTable* table : tables) slots = std::max(slots, table->store().weight_matrix().slots());
  return slots;
}

}  // namespace

RowBucket::RowBucket(std::vector<EmbeddingTable*> tables)
    : tables_(std::move(tables)),
      dim_(tables_.front()->dim()),
      bound_(tables_.front()->optimizer().max_gradient),
      dense_(tables_.front()->kernel() == ComputeKernel::dense),
      format_(tables_.front()->store().weight_matrix().format),
      pool_(dim_, format_),
      run_sums_(dim_) {
  if (bound_ == 0.0f) bound_ = std::numeric_limits<float>::infinity();
  const Device exec;
  DeviceShard* const to = sent_shards_.reserve(exec, "tesserec::embedding::shards", std::ssize(tables_));
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const EmbeddingTable& table = *tables_[i];
    const std::span<const RowMatrix> states = table.store().states();
    if (format_ != NumberType::fp32 && !table.store().ordered() && table.store().rows_of_slots() == nullptr)
      fail("table ", table.config().name, " has format \"", name(format_),
           "\", but its store in device memory moves rows between slots without a list of them, which only format "
           "\"fp32\" supports");
    to[i] = {table.store().weight_matrix().row(0),
             {},
             table.dense_gradient().data(),
             table.store().first_row(),
             table.store().rows_of_slots(),
             table.columns().begin / 4,
             table.blocks().begin,
             table.blocks().end,
             table.block_of()};
    for (std::size_t s = 0; s < states.size(); ++s) to[i].states[s] = states[s].values.data();
  }
  shards_ = sent_shards_.send(exec, std::ssize(tables_));
}

RowBucket::Lists::Lists(const RowBucket& bucket)
    : bags({bucket.tables_.begin(), bucket.tables_.end()}, bucket.shards_),
      runs(std::ssize(bucket.tables_), max_slots_of(bucket.tables_), bucket.dim_) {}

bool RowBucket::fit_together(const EmbeddingTable& a, const EmbeddingTable& b) {
  const optim::Settings &x = a.optimizer(), &y = b.optimizer();
  return a.dim() == b.dim() && a.store().weight_matrix().format == b.store().weight_matrix().format &&
         a.kernel() == b.kernel() && x.type == y.type && x.max_gradient == y.max_gradient &&
         a.shares_rows() == b.shares_rows();
}

UpdatedShards RowBucket::updated_shards(const Device& exec, std::span<const double> rates, Index step) {
  DeviceStep* const steps = steps_.reserve(exec, "tesserec::embedding::steps", std::ssize(tables_));
  for (std::size_t i = 0; i < tables_.size(); ++i)
    steps[i] = {optim::step_scalars(tables_[i]->optimizer(), rates[i], step), bound_,
                tables_[i]->rounding(step).key()[0], tables_[i]->rounding(step).key()[1]};
  return {.type = tables_.front()->optimizer().type,
          .shards = shards_,
          .steps = steps_.send(exec, std::ssize(tables_)),
          .dim = dim_,
          .first_column = 0,
          .whole_dim = dim_,
          .format = format_};
}

UpdatedShards RowBucket::updated_shard(const Device& exec, std::size_t i, double rate, Index step) {
  UpdatedShards updated = updated_shards(exec, std::vector<double>(tables_.size(), rate), step);
  updated.shards += i;
  updated.steps += i;
  updated.first_column = tables_[i]->columns().begin;
  updated.whole_dim = tables_[i]->shares_rows() ? tables_[i]->config().embedding_dim : dim_;
  return updated;
}

void RowBucket::update(const Device& exec, const RowRuns& of_batch, const float* gradients,
                       std::span<const double> rates, Index step) {
  const RunArrays& runs = of_batch.arrays();
  const bool whole = of_batch.whole_gradients() && reinterpret_cast<std::uintptr_t>(gradients) % sizeof(Quad) == 0;
  const UpdatedShards updated = updated_shards(exec, rates, step);
  if (!dense_ && whole && dim_ <= max_fused && of_batch.lane_count() <= 1 << fast_tree_levels)
    return move_runs(exec, updated, runs, gradients, run_sums_.pieces(exec, runs, gradients, whole));
  float* const sums = reserve_device(exec, gradients_, "tesserec::embedding::row_gradients", runs.max_runs * dim_);
  run_sums_.sum(exec, runs, gradients, whole, of_batch.lane_count(), bound_, sums);
  if (!dense_) return move_rows(exec, updated, rows_of(runs), sums);
  launch(exec, "tesserec::embedding::scatter_rows", runs.max_runs, dim_,
         ScatterRows{rows_of(runs), sums, updated.shards, dim_});
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    UpdatedShards single_table = updated;
    single_table.shards += i;
    single_table.steps += i;
    move_rows(exec, single_table, {tables_[i]->rows().size()}, tables_[i]->dense_gradient().data());
  }
  launch(exec, "tesserec::embedding::clear_rows", runs.max_runs, dim_,
         ScatterRows{rows_of(runs), nullptr, updated.shards, dim_});
}

std::vector<RowSums> RowBucket::sums(const Device& exec, const RowRuns& of_batch, const float* gradients) {
  const bool whole = of_batch.whole_gradients() && reinterpret_cast<std::uintptr_t>(gradients) % sizeof(Quad) == 0;
  RunArrays runs = of_batch.arrays();
  const Index count = download(exec, runs.runs, 1).front();
  runs.max_runs = count;
  float* const to = reserve_device(exec, gradients_, "tesserec::embedding::row_gradients", count * dim_);
  run_sums_.sum(exec, runs, gradients, whole, of_batch.lane_count(), std::numeric_limits<float>::infinity(), to);
  reserve_device(exec, leaves_, "tesserec::embedding::leaves", count);
  launch(exec, "tesserec::embedding::first_lanes", count, 1, FirstLanes{runs, leaves_.data()});
  const std::vector<std::uint64_t> keys = download(exec, runs.row, count);
  const std::vector<std::int32_t> leaves = download<std::int32_t>(exec, leaves_.data(), count);
  const std::vector<float> sums = download<float>(exec, to, count * dim_);
  std::vector<RowSums> of_shards(tables_.size());
  for (Index run = 0; run < count; ++run) {
    RowSums& shard = of_shards[keys[run] >> runs.row_bits];
    shard.rows.push_back(Index(keys[run] & ((std::uint64_t{1} << runs.row_bits) - 1)));
    shard.leaves.push_back(leaves[run]);
    shard.sums.insert(shard.sums.end(), sums.begin() + run * dim_, sums.begin() + (run + 1) * dim_);
  }
  for (std::size_t i = 0; i < tables_.size(); ++i) name_rows(of_shards[i], tables_[i]->store());
  return of_shards;
}

void RowBucket::move_whole(const Device& exec, std::size_t i, const UpdatedShards& updated, const RowList& rows,
                           const float* gradients) {
  if (!dense_) return move_rows(exec, updated, rows, gradients);
  launch(exec, "tesserec::embedding::scatter_rows", rows.max_rows, dim_,
         ScatterRows{rows, gradients, updated.shards, dim_});
  move_rows(exec, updated, {tables_[i]->rows().size()}, tables_[i]->dense_gradient().data());
  launch(exec, "tesserec::embedding::clear_rows", rows.max_rows, dim_,
         ScatterRows{rows, nullptr, updated.shards, dim_});
}

std::vector<float> RowBucket::move(const Device& exec, std::size_t i, const RowMoves& moves, std::size_t at) {
  const EmbeddingTable& table = *tables_[i];
  const RowMoves::Rows& given = moves.rows[at];
  const optim::TypeInfo& info = optim::info(table.optimizer().type);
  const int round = moves.round, rounds = table.shares_rows() ? optim::row_rounds(info.type) : 0;
  if (round > rounds) return {};
  const UpdatedShards updated = updated_shard(exec, i, moves.rates[at], moves.step);
  const float* const gradients = upload(exec, sent_gradients_, "tesserec::embedding::listed_gradients",
                                        std::span(given.gradients, std::size_t(std::ssize(given.slots) * dim_)));
  const RowList rows{std::ssize(given.slots), nullptr,
                     upload(exec, sent_slots_, "tesserec::embedding::listed_places", given.slots), 63};
  if (rounds == 0) {
    move_whole(exec, i, updated, rows, gradients);
    return {};
  }
  const Index before = round > 0 ? info.row_sums[round - 1] : 0;
  const float* const totals = upload(exec, totals_, "tesserec::embedding::row_totals",
                                     round > 0 ? std::span<const float>(moves.totals[at]) : std::span<const float>());
  if (round == rounds) {
    move_columns(exec, updated, rows, gradients, totals, before);
    return {};
  }
  const Index size = info.row_sums[round] * std::ssize(optim::column_subtrees(table.columns()));
  float* const sums = reserve_device(exec, column_sums_, "tesserec::embedding::column_sums", rows.max_rows * size);
  sum_columns(exec, updated, rows, gradients, {round, totals, before, sums, size});
  return download<float>(exec, sums, rows.max_rows * size);
}

}  // namespace tesserec::embedding
