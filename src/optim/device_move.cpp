// SPDX-License-Identifier: Apache-2.0
#include "device_move.hpp"

#include "columns.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/tree_sum.hpp>

namespace tesserec::optim {
namespace {

/// Accessor of the columns of an update on a device.
template <class Rule>
struct At {
  DeviceMove to;
  TESSEREC_FUNCTION Columns columns() const { return {to.w, to.g, to.m, to.v, 0}; }
  TESSEREC_FUNCTION Column get(Index i) const { return columns().template get<Rule::column_states>(i); }
  TESSEREC_FUNCTION void put_states(Index i, const Column& c) const {
    columns().template put_states<Rule::column_states>(i, c);
  }
  TESSEREC_FUNCTION float gradient(Index i) const { return limited(to.scale, to.bound, to.g[i]); }
};

template <class Rule>
struct MoveNumbers {
  At<Rule> at;
  Rule rule;
  const float* totals;  ///< totals of the only round, or null
  Index first, dim;
  TESSEREC_FUNCTION void operator()(Index n) const {
    const Index i = first + n;
    Rule own = rule;
    if (totals != nullptr) own.scalars(at.to.scalars, 1, totals, nullptr, dim);
    Column c = at.get(i);
    own.move(at.to.scalars, c, at.gradient(i));
    if constexpr (Rule::moves_states) at.put_states(i, c);
    at.to.w[i] = c.w;
  }
};

/// Kernel of one block of 4 columns. It changes states if the rule touches them, and computes the squares for each sum.
template <class Rule>
struct SumBlocks {
  static constexpr Index block = 4;
  At<Rule> at;
  Rule rule;
  Range tensor;
  float* sums;  ///< [sums of the round, blocks]
  Index blocks;
  TESSEREC_FUNCTION void operator()(Index b) const {
    const StepScalars& s = at.to.scalars;
    const Index first = tensor.begin + b * block, end = first + block < tensor.end ? first + block : tensor.end;
    float squares[Rule::sums(0)] = {};
    for (Index i = first; i < end; ++i) {
      Column c = at.get(i);
      const float g = at.gradient(i);
      if constexpr (Rule::touches(0)) {
        rule.touch(s, 0, c, g);
        at.put_states(i, c);
      }
      for (int k = 0; k < Rule::sums(0); ++k) {
        const float value = rule.value(s, 0, k, c, g);
        squares[k] = std::fma(value, value, squares[k]);
      }
    }
    for (int k = 0; k < Rule::sums(0); ++k) sums[k * blocks + b] = squares[k];
  }
};

/// Kernel that adds runs of `fan` adjacent leaves of the fixed tree. The sums are the leaves of the tree above.
struct AddLeaves {
  static constexpr int levels = 5;
  static constexpr Index fan = Index{1} << levels;
  const float* from;
  Index leaves, runs;  ///< per sum of the round
  float* to;
  TESSEREC_FUNCTION void operator()(Index n) const {
    const Index k = n / runs, run = n % runs, first = run * fan;
    const Index count = leaves - first < fan ? leaves - first : fan;
    const float* const own = from + k * leaves + first;
    TreeSum<float, levels> tree;
    float sum = 0.0f;
    for (Index leaf = 0; leaf < count; ++leaf) {
      sum = own[leaf];
      tree.climb(sum, leaf + 1 < count ? height_above(leaf, leaf + 1) : last_leaf);
    }
    to[n] = sum;
  }
};

}  // namespace

void move_on(const Device& device, const DeviceMove& move, Range range) {
  with_elementwise_rule(move.scalars.type, [&]<class Rule>(Rule rule) {
    over_numbers(device, "tesserec::optim::move", range.size(),
                 MoveNumbers<Rule>{{move}, rule, nullptr, range.begin, range.size()});
  });
}

void move_tensor_on(const Device& device, const DeviceMove& move, Range tensor, DeviceVector<float>& sums) {
  with_row_rule(move.scalars.type, [&]<class Rule>(Rule rule) {
    if constexpr (Rule::row_numbers == 0) {
      static_assert(Rule::rounds == 1, "a tensor moves by sums of one round");
      constexpr Index at_once = Rule::sums(0);
      Index leaves = (tensor.size() + 3) / 4;
      float* from =
          reserve_device(device, sums, "tesserec::optim::sums", at_once * (leaves + leaves / AddLeaves::fan + 1));
      float* to = from + at_once * leaves;
      over_numbers(device, "tesserec::optim::sum_blocks", leaves, SumBlocks<Rule>{{move}, rule, tensor, from, leaves});
      while (leaves > 1) {
        const Index runs = (leaves + AddLeaves::fan - 1) / AddLeaves::fan;
        over_numbers(device, "tesserec::optim::add_leaves", at_once * runs, AddLeaves{from, leaves, runs, to});
        std::swap(from, to);
        leaves = runs;
      }
      over_numbers(device, "tesserec::optim::move_tensor", tensor.size(),
                   MoveNumbers<Rule>{{move}, rule, from, tensor.begin, tensor.size()});
    }
  });
}

}  // namespace tesserec::optim
