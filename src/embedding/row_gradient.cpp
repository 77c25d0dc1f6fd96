// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <tesserec/core/kernel.hpp>
#include <tesserec/embedding/row_gradient.hpp>

namespace tesserec::embedding {

void sort_by_row(std::vector<RowUse>& uses, Index rows) {
  thread_local std::vector<RowUse> scratch;  // shared by all tables, so that it stays in the cache
  constexpr int max_digit_bits = 11;
  const int bits = std::bit_width(std::uint64_t(rows - 1));
  // The counters are about as many as the uses, because more of them would take longer to sum than another pass.
  const int digit_bits = std::clamp(int(std::bit_width(uses.size())), 4, max_digit_bits);
  const std::size_t last = (std::size_t{1} << digit_bits) - 1;
  scratch.resize(uses.size());
  for (int shift = 0; shift < bits; shift += digit_bits) {
    std::array<Index, (1 << max_digit_bits) + 1> start;
    std::fill_n(start.begin(), last + 2, 0);
    const auto digit = [shift, last](const RowUse& use) { return (use.row >> shift) & last; };
    for (const RowUse& use : uses) ++start[digit(use) + 1];
    for (std::size_t d = 1; d <= last; ++d) start[d] += start[d - 1];
    for (const RowUse& use : uses) scratch[start[digit(use)]++] = use;
    uses.swap(scratch);
  }
}

TESSEREC_KERNEL void sum_one_row(const RowUse* uses, Index count, const float* gradients, Index dim, bool sums,
                                 TreeOrder& tree, float* slots) {
  const auto merge = [&](int into, int from) {
    float* a = slots + into * dim;
    const float* b = slots + from * dim;
    for (Index c = 0; c < dim; ++c) a[c] += b[c];
  };
  if (count == 1 && !sums) {  // the case of most rows of a large table
    float* only = slots + tree.push(uses->lane, merge) * dim;
    const float* gradient = gradients + uses->gradient;
    for (Index c = 0; c < dim; ++c) only[c] = std::fma(uses->weight, gradient[c], 0.0f);
    return;
  }
  float* sum = nullptr;
  for (Index i = 0; i < count; ++i) {
    const float* gradient = gradients + uses[i].gradient;
    if (i == 0 || uses[i].lane != uses[i - 1].lane) {
      sum = slots + tree.push(uses[i].lane, merge) * dim;
      if (sums) {
        std::copy(gradient, gradient + dim, sum);
        continue;
      }
      std::fill(sum, sum + dim, 0.0f);
    }
    const float weight = uses[i].weight;
    for (Index c = 0; c < dim; ++c) sum[c] = std::fma(weight, gradient[c], sum[c]);
  }
  tree.finish(merge);
}

}  // namespace tesserec::embedding
