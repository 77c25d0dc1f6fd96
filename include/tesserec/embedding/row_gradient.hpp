// SPDX-License-Identifier: Apache-2.0
/// Sums of the gradients of bags into one gradient per row, in a fixed order. Inside a lane the order is sample,
/// feature, position, with fma from +0. Lanes are added by the fixed tree, and a lane without the row adds nothing.
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/tree.hpp>
#include <tesserec/embedding/pooling.hpp>

namespace tesserec::embedding {

/// Use of a row: the row, the lane, the gradient that reaches the row, and its weight.
struct RowUse {
  Index row = 0;       ///< row of the shard, from 0
  Index gradient = 0;  ///< float offset of the gradient vector
  std::int32_t lane = 0;
  float weight = 1;
};

/// Sorts by row with a stable least significant digit radix sort. `rows`: number of rows of the shard. 0: rows are any
/// 64-bit numbers, whose order is of no importance but that equal ones meet.
void sort_by_row(std::vector<RowUse>& uses, Index rows);

/// Calls sink(row, leaf, sum[dim]) for each subtree sum of each row in `uses`, which must be sorted by row. If `lanes`
/// is the whole tree, each row has one sum. `sums`: the gradients are sums of subtrees already. Calls fetch(row) some
/// uses ahead.
template <class Fetch, class Sink>
void sum_rows(std::span<const RowUse> uses, const float* gradients, Index dim, Range lanes, bool sums,
              const Fetch& fetch, const Sink& sink);

/// Adds up the gradients of one row's uses; the kernel of sum_rows. Sum i of `tree` is in slots[i * dim .. (i + 1) *
/// dim).
void sum_one_row(const RowUse* uses, Index count, const float* gradients, Index dim, bool sums, TreeOrder& tree,
                 float* slots);

template <class Fetch, class Sink>
void sum_rows(std::span<const RowUse> uses, const float* gradients, Index dim, Range lanes, bool sums,
              const Fetch& fetch, const Sink& sink) {
  constexpr Index ahead = 16, line = 16;  // uses, floats
  std::vector<float> slots(TreeOrder::max_slots * dim);
  TreeOrder tree(lanes);
  const Index last = std::ssize(uses);
  for (Index begin = 0, end = 0; begin < last; begin = end) {
    const Index row = uses[begin].row;
    for (; end < last && uses[end].row == row; ++end) {
      if (end + ahead >= last) continue;
      const RowUse& next = uses[end + ahead];
      for (Index c = 0; c < dim; c += line) __builtin_prefetch(gradients + next.gradient + c);
      if (next.row != uses[end + ahead - 1].row) fetch(next.row);
    }
    tree.clear();
    sum_one_row(uses.data() + begin, end - begin, gradients, dim, sums, tree, slots.data());
    for (int i = 0; i < tree.size(); ++i) sink(row, tree.leaf(i), slots.data() + i * dim);
  }
}

}  // namespace tesserec::embedding
