// SPDX-License-Identifier: Apache-2.0
// Updates of a table by gradients that are gathered first: over micro-batches, for their length, or in rounds.
#include <algorithm>
#include <mutex>

#include <tesserec/embedding/table.hpp>

namespace tesserec::embedding {
namespace {

constexpr Index gathered_per_task = 4096;

Index tasks_of(Index rows) { return (rows + gathered_per_task - 1) / gathered_per_task; }

}  // namespace

void EmbeddingTable::gather_gradients(const Exec& exec, const float* gradients) {
  GatheredRows::Rows& to = gathered_.next();
  std::vector<Index> first_use;  // of each row, and the end
  for (std::size_t i = 0; i < batch_.uses.size(); ++i)
    if (i == 0 || batch_.uses[i].row != batch_.uses[i - 1].row) {
      first_use.push_back(i);
      to.rows.push_back(batch_.uses[i].row);
    }
  first_use.push_back(std::ssize(batch_.uses));
  const auto rows = std::ssize(to.rows);
  to.gradients.resize(rows * dim());
  parallel_for(exec, "tesserec::embedding::gather_gradients", tasks_of(rows), [&](Index task) {
    Index at = task * gathered_per_task;
    const Index end = std::min(rows, at + gathered_per_task);
    const std::span<const RowUse> uses = std::span(batch_.uses).subspan(first_use[at], first_use[end] - first_use[at]);
    sum_rows(
        uses, gradients, dim(), whole_tree, batch_.are_sums, [](Index) {},
        [&](Index, Index, const float* sum) { std::copy_n(sum, dim(), to.gradients.data() + at++ * dim()); });
  });
}

void EmbeddingTable::add_squares(const Exec& exec, ExactSum& sum) {
  const GatheredRows::Rows& all = gathered_.finish();
  const auto rows = std::ssize(all.rows);
  std::mutex one_at_a_time;
  parallel_for(exec, "tesserec::embedding::add_squares", tasks_of(rows), [&](Index task) {
    ExactSum mine;
    const Index end = std::min(rows, (task + 1) * gathered_per_task);
    for (Index at = task * gathered_per_task; at < end; ++at)
      tesserec::add_squares(all.gradients.data() + at * dim(), dim(), mine);
    const std::lock_guard lock(one_at_a_time);
    sum += mine;
  });
}

void EmbeddingTable::finish_gradients(const Exec& exec, float scale) {
  GatheredRows::Rows& all = gathered_.finish();
  const float most = optimizer_.max_gradient;
  if (scale == 1.0f && most == 0.0f) return;
  const auto rows = std::ssize(all.rows);
  parallel_for(exec, "tesserec::embedding::finish_gradients", tasks_of(rows), [&](Index task) {
    const Index begin = task * gathered_per_task * dim(), end = std::min(rows, (task + 1) * gathered_per_task) * dim();
    optim::limit(scale, most, all.gradients.data() + begin, all.gradients.data() + begin, end - begin);
  });
}

template <class Body>
void EmbeddingTable::over_gathered(const Exec& exec, const std::string& label, const Body& body) {
  const GatheredRows::Rows& all = gathered_.finish();
  const auto rows = std::ssize(all.rows);
  parallel_for(exec, label, tasks_of(rows), [&](Index task) {
    const Index end = std::min(rows, (task + 1) * gathered_per_task);
    for (Index at = task * gathered_per_task; at < end; ++at) {
      constexpr Index ahead = 16;
      if (at + ahead < rows) prefetch(all.rows[at + ahead]);
      body(at, row(all.rows[at], all.gradients.data() + at * dim()));
    }
  });
}

void EmbeddingTable::move_gathered(const Exec& exec, double lr, Index step) {
  const optim::StepScalars scalars = optim::step_scalars(optimizer_, lr, step);
  if (kernel_ == ComputeKernel::dense) {
    const GatheredRows::Rows& all = gathered_.finish();
    const auto place = [&](std::size_t i) { return dense_gradient_.data() + all.rows[i] * dim(); };
    for (std::size_t i = 0; i < all.rows.size(); ++i)
      std::copy_n(all.gradients.data() + Index(i) * dim(), dim(), place(i));
    update_every_row(exec, scalars);
    for (std::size_t i = 0; i < all.rows.size(); ++i) std::fill_n(place(i), dim(), 0.0f);
  } else {
    over_gathered(exec, "tesserec::embedding::move_gathered",
                  [&](Index, const optim::Row& row) { optim::move_row(scalars, row); });
  }
  gathered_.clear();
}

std::vector<float> EmbeddingTable::sum_columns(const Exec& exec, int round, const float* totals, double lr,
                                               Index step) {
  const optim::StepScalars scalars = optim::step_scalars(optimizer_, lr, step);
  const std::vector<int>& row_sums = optim::info(optimizer_.type).row_sums;
  const Index size = row_sums[round] * std::ssize(optim::column_subtrees(columns_));
  const Index before = round > 0 ? row_sums[round - 1] : 0;
  std::vector<float> sums(std::ssize(gathered_.finish().rows) * size);
  over_gathered(exec, "tesserec::embedding::sum_columns", [&](Index at, const optim::Row& row) {
    optim::sum_columns(scalars, round, row, totals + at * before, sums.data() + at * size);
  });
  return sums;
}

void EmbeddingTable::move_columns(const Exec& exec, const float* totals, double lr, Index step) {
  const optim::StepScalars scalars = optim::step_scalars(optimizer_, lr, step);
  const Index size = optim::info(optimizer_.type).row_sums.back();
  over_gathered(exec, "tesserec::embedding::move_columns",
                [&](Index at, const optim::Row& row) { optim::move_columns(scalars, row, totals + at * size); });
  gathered_.clear();
}

}  // namespace tesserec::embedding
