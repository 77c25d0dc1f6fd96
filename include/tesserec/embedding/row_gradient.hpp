// SPDX-License-Identifier: Apache-2.0
/// From the gradients of bags to one gradient a row, by the law: inside a lane in the order sample, feature, position
/// with fma from +0; lanes by the fixed tree; a lane without the row adds nothing.
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/tree.hpp>
#include <tesserec/embedding/pooling.hpp>

namespace tesserec::embedding {

/// One use of a row: the row, the lane, the gradient that reaches it and its weight.
struct RowUse {
  Index row = 0;       ///< of the shard, from 0
  Index gradient = 0;  ///< float offset of the vector it gets
  std::int32_t lane = 0;
  float weight = 1;
};

/// Sorts by row, keeping the order of uses of a row (least significant digit radix sort). `rows`: rows of the shard.
void sort_by_row(std::vector<RowUse>& uses, Index rows);

/// Calls sink(row, leaf, sum[dim]) for each subtree sum of each row in `uses`, sorted by row; if `lanes` is the whole
/// tree, one a row. `sums`: the vectors are sums of subtrees already. Calls fetch(row) some uses ahead.
template <class Fetch, class Sink>
void sum_rows(std::span<const RowUse> uses, const float* gradients, Index dim, Range lanes, bool sums,
              const Fetch& fetch, const Sink& sink);

/// The gradient of a row in sums[0 .. dim) from its uses; the kernel under sum_rows. `tree` has the sums left.
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
      fetch(next.row);
    }
    tree.clear();
    sum_one_row(uses.data() + begin, end - begin, gradients, dim, sums, tree, slots.data());
    for (int i = 0; i < tree.size(); ++i) sink(row, tree.leaf(i), slots.data() + i * dim);
  }
}

}  // namespace tesserec::embedding
