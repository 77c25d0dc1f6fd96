// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>

#include <tesserec/embedding/row_sums.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::embedding {
namespace {

constexpr Index summed_per_task = 4096;

Index tasks_of(Index rows) { return (rows + summed_per_task - 1) / summed_per_task; }

}  // namespace

void RowSums::clear() {
  rows.clear();
  leaves.clear();
  sums.clear();
}

RowSums add_sums(const Exec& exec, std::vector<RowUse> uses, Index rows, const float* sums, Index dim) {
  sort_by_row(uses, rows);
  return sum_all_rows(exec, uses, sums, dim, true);
}

RowSums sum_all_rows(const Exec& exec, std::span<const RowUse> uses, const float* gradients, Index dim, bool are_sums) {
  RowSums result;
  std::vector<Index> first_use;  // [rows + 1] index of each row's first use
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (i == 0 || uses[i].row != uses[i - 1].row) {
      first_use.push_back(i);
      result.rows.push_back(uses[i].row);
    }
  first_use.push_back(std::ssize(uses));
  const auto rows = std::ssize(result.rows);
  result.sums.resize(rows * dim);
  parallel_for(exec, "tesserec::embedding::sum_rows", tasks_of(rows), [&](Index task) {
    Index at = task * summed_per_task;
    const Index end = std::min(rows, at + summed_per_task);
    sum_rows(
        uses.subspan(first_use[at], first_use[end] - first_use[at]), gradients, dim, whole_tree, are_sums, [](Index) {},
        [&](Index, Index, const float* sum) { std::copy_n(sum, dim, result.sums.data() + at++ * dim); });
  });
  return result;
}

void limit(const Exec& exec, RowSums& sums, float scale, float bound) {
  if (scale == 1.0f && bound == 0.0f) return;
  constexpr Index per_task = 1 << 16;
  const Index size = std::ssize(sums.sums);
  parallel_for(exec, "tesserec::embedding::limit_gradients", (size + per_task - 1) / per_task, [&](Index task) {
    float* const from = sums.sums.data() + task * per_task;
    optim::limit(scale, bound, from, from, std::min(per_task, size - task * per_task));
  });
}

void GatheredRows::clear() {
  micro_batches_ = 0;
  order_.clear();
  slots_[0].clear();
}

void GatheredRows::add(RowSums sums) {
  const std::size_t slot = order_.push(micro_batches_++, [this](int into, int from) { merge(into, from); });
  if (slots_.size() <= slot) slots_.resize(slot + 1);
  slots_[slot] = std::move(sums);
}

RowSums& GatheredRows::finish() {
  order_.finish([this](int into, int from) { merge(into, from); });
  return slots_[0];
}

void GatheredRows::merge(int into, int from) {
  RowSums &a = slots_[into], &b = slots_[from], &sum = scratch_;
  sum.clear();
  std::size_t i = 0, j = 0;
  while (i < a.rows.size() || j < b.rows.size()) {
    const bool in_a = i < a.rows.size() && (j == b.rows.size() || a.rows[i] <= b.rows[j]);
    const bool in_b = j < b.rows.size() && (i == a.rows.size() || b.rows[j] <= a.rows[i]);
    const float *x = a.sums.data() + Index(i) * dim_, *y = b.sums.data() + Index(j) * dim_;
    sum.rows.push_back(in_a ? a.rows[i] : b.rows[j]);
    const float* const lower = in_a ? x : y;
    sum.sums.insert(sum.sums.end(), lower, lower + dim_);
    float* merged = sum.sums.data() + sum.sums.size() - dim_;
    for (Index c = 0; in_a && in_b && c < dim_; ++c) merged[c] += y[c];
    i += in_a;
    j += in_b;
  }
  std::swap(a, sum);
}

void GatheredRows::add_squares(const Exec& exec, ExactSum& sum) {
  const RowSums& sums = finish();
  const auto rows = std::ssize(sums.rows);
  std::mutex sum_mutex;
  parallel_for(exec, "tesserec::embedding::add_squares", tasks_of(rows), [&](Index task) {
    ExactSum task_sum;
    const Index end = std::min(rows, (task + 1) * summed_per_task);
    for (Index at = task * summed_per_task; at < end; ++at)
      tesserec::add_squares(sums.sums.data() + at * dim_, dim_, task_sum);
    const std::lock_guard lock(sum_mutex);
    sum += task_sum;
  });
}

}  // namespace tesserec::embedding
