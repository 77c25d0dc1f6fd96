// SPDX-License-Identifier: Apache-2.0
#include "simd_shard.hpp"

#include <algorithm>
#include <cassert>

#include "edited_rows.hpp"
#include "row_names.hpp"

namespace tesserec::embedding {
namespace {

constexpr Index rows_per_task = 4096;
constexpr Index bags_per_task = 512;

Index total(const ShardBags& bags) {
  Index ids = 0;
  for (const std::vector<Bags>& run : bags)
    for (const Bags& feature : run) ids += feature.total();
  return ids;
}

}  // namespace

Index lookup_tasks(const Bags& bags) { return (bags.count + bags_per_task - 1) / bags_per_task; }

void lookup(const EmbeddingTable& table, Index task, const Bags& bags, const Nodes& nodes, float* out) {
  const RowStore& store = table.store();
  pool({table.block_of(), table.blocks(), store.weight_matrix().row(0), store.first_row(), table.dim(),
        store.weight_matrix().format},
       bags, nodes, {task * bags_per_task, std::min(bags.count, (task + 1) * bags_per_task)}, out);
}

void SimdShard::order(const ShardBags& bags, const BatchSplit& split) {
  uses_.resize(total(bags));  // without clear(), which would let resize() initialize all elements again
  auto use = uses_.begin();
  are_sums_ = false;
  const Index first_row = table_.store().first_row(), dim = table_.dim();
  std::vector<Index> next;  // float offset of each feature's next gradient
  for (const std::vector<Bags>& run : bags) {
    next.clear();
    for (const Bags& feature : run) next.push_back(feature.gradients_at);
    const Index samples = run.empty() ? 0 : run.front().count;
    int lane = samples > 0 ? split.lane_of(run.front().sample(0)) : 0;
    for (Index s = 0; s < samples; ++s) {
      while (run.front().sample(s) >= split.lane(lane).end) ++lane;
      for (std::size_t f = 0; f < run.size(); ++f) {
        const Bags& feature = run[f];
        const Index stride = feature.gradients_stride > 0 ? feature.gradients_stride : dim;
        for (Index i = feature.offsets[s]; i < feature.offsets[s + 1]; ++i) {
          *use++ = {feature.slot(i, first_row), next[f], lane, feature.weights == nullptr ? 1.0f : feature.weights[i]};
          if (feature.unpooled) next[f] += stride;
        }
        if (!feature.unpooled && (feature.gradients_stride > 0 || feature.length(s) > 0)) next[f] += stride;
      }
    }
  }
  assert(use == uses_.end());
  sort_by_row(uses_, table_.store().weight_matrix().slots());
}

void SimdShard::order(std::span<const RowUse> sums) {
  uses_.assign(sums.begin(), sums.end());
  are_sums_ = true;
  sort_by_row(uses_, table_.store().weight_matrix().slots());
}

RowSums SimdShard::sum(const Exec& exec, const float* gradients) const {
  RowSums sums = sum_all_rows(exec, uses_, gradients, table_.dim(), are_sums_);
  name_rows(sums, table_.store());
  return sums;
}

RowSums SimdShard::sum_lanes(const float* gradients, Range lanes) const {
  RowSums sums;
  const Index dim = table_.dim();
  sum_rows(
      uses_, gradients, dim, lanes, are_sums_, [](Index) {},
      [&](Index slot, Index leaf, const float* sum) {
        sums.rows.push_back(slot);
        sums.leaves.push_back(leaf);
        sums.sums.insert(sums.sums.end(), sum, sum + dim);
      });
  name_rows(sums, table_.store());
  return sums;
}

const float* SimdShard::clipped(const float* gradient, std::vector<float>& scratch) const {
  const float bound = table_.optimizer().max_gradient;
  if (bound == 0.0f) return gradient;
  scratch.resize(table_.dim());
  optim::limit(1.0f, bound, gradient, scratch.data(), table_.dim());
  return scratch.data();
}

void SimdShard::move(Index share, Index shares, const float* gradients, const ShardStep& step) {
  assert(!table_.shares_rows());
  const RowStore& store = table_.store();
  const Index count = std::ssize(uses_), dim = table_.dim();
  const bool dense = table_.kernel() == ComputeKernel::dense;
  std::vector<float> scratch;
  EditedRows rows(table_, step.number, !dense);
  MovedRows* const moved = table_.moved();
  const auto cut = [&](Index i) {  // cuts only between rows, so that each row belongs to one share
    Index at = count * i / shares;
    while (at > 0 && at < count && uses_[at].row == uses_[at - 1].row) ++at;
    return at;
  };
  const Index first = cut(share), last = cut(share + 1);
  sum_rows(
      std::span(uses_).subspan(first, last - first), gradients, dim, whole_tree, are_sums_,
      [&](Index slot) { store.prefetch(slot); },
      [&](Index slot, Index, const float* sum) {
        const float* gradient = clipped(sum, scratch);
        if (moved != nullptr) moved->add(store.row_at(slot), shares > 1);
        if (dense)
          std::copy_n(gradient, dim, dense_gradient(slot));
        else
          optim::move_row(step.scalars, rows.row(slot, gradient));
      });
}

void SimdShard::finish_move(const Exec& exec, const ShardStep& step) {
  if (table_.kernel() != ComputeKernel::dense) return;
  move_every_row(exec, step);
  for (const RowUse& use : uses_) std::fill_n(dense_gradient(use.row), table_.dim(), 0.0f);
}

void SimdShard::move_every_row(const Exec& exec, const ShardStep& step) {
  const Index rows = table_.store().weight_matrix().slots(), dim = table_.dim();
  parallel_for(exec, "tesserec::embedding::update_dense", (rows + rows_per_task - 1) / rows_per_task, [&](Index task) {
    const Index begin = task * rows_per_task;
    const optim::Row first = table_.store().row(begin, dense_gradient(begin));
    optim::move(step.scalars, first.weights, first.gradient, first.states, std::min(rows_per_task, rows - begin) * dim);
  });
}

template <class Body>
void SimdShard::over_rows(const Exec& exec, const std::string& label, const RowMoves::Rows& rows,
                          std::optional<Index> step, const Body& body) const {
  const Index count = std::ssize(rows.slots);
  const RowStore& store = table_.store();
  parallel_for(exec, label, (count + rows_per_task - 1) / rows_per_task, [&](Index task) {
    constexpr Index ahead = 16;
    const Index end = std::min(count, (task + 1) * rows_per_task);
    EditedRows edited(table_, step.value_or(0), step.has_value());
    for (Index at = task * rows_per_task; at < end; ++at) {
      if (at + ahead < count) store.prefetch(rows.slots[at + ahead]);
      body(at, edited.row(rows.slots[at], rows.gradients + at * table_.dim()));
    }
  });
}

void SimdShard::move_rows(const Exec& exec, const RowMoves::Rows& rows, const ShardStep& step) {
  const Index dim = table_.dim();
  if (table_.kernel() != ComputeKernel::dense)
    return over_rows(exec, "tesserec::embedding::move_rows", rows, step.number,
                     [&](Index, const optim::Row& row) { optim::move_row(step.scalars, row); });
  for (std::size_t i = 0; i < rows.slots.size(); ++i)
    std::copy_n(rows.gradients + Index(i) * dim, dim, dense_gradient(rows.slots[i]));
  move_every_row(exec, step);
  for (const Index slot : rows.slots) std::fill_n(dense_gradient(slot), dim, 0.0f);
}

std::vector<float> SimdShard::sum_columns(const Exec& exec, const RowMoves::Rows& rows, const ShardStep& step,
                                          int round, const float* totals) {
  const std::vector<int>& row_sums = optim::info(table_.optimizer().type).row_sums;
  const Index size = row_sums[round] * std::ssize(optim::column_subtrees(table_.columns()));
  const Index before = round > 0 ? row_sums[round - 1] : 0;
  std::vector<float> sums(std::ssize(rows.slots) * size);
  over_rows(exec, "tesserec::embedding::sum_columns", rows, std::nullopt, [&](Index at, const optim::Row& row) {
    optim::sum_columns(step.scalars, round, row, totals + at * before, sums.data() + at * size);
  });
  return sums;
}

void SimdShard::move_columns(const Exec& exec, const RowMoves::Rows& rows, const ShardStep& step, const float* totals) {
  const Index size = optim::info(table_.optimizer().type).row_sums.back();
  over_rows(exec, "tesserec::embedding::move_columns", rows, step.number,
            [&](Index at, const optim::Row& row) { optim::move_columns(step.scalars, row, totals + at * size); });
}

}  // namespace tesserec::embedding
