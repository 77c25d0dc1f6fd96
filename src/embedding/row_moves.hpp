// SPDX-License-Identifier: Apache-2.0
/// Update of one row by a group of threads that share its columns. It applies the rules of optim.
#pragma once

#include <limits>

#include "device_bags.hpp"
#include "quad.hpp"
#include "row_updates.hpp"
#include <tesserec/optim/row_rules.hpp>

namespace tesserec::embedding {

/// Row, or columns of a row that begin at a multiple of 4.
template <class Format>
struct DeviceRow {
  typename Format::Number* weights;
  float* states[3];   // states per column, then those per row
  Index first_block;  // index of the first block of 4 columns
  Index dim;          // number of columns of the whole row
  RowRounding rounding;
};

/// Returns row `row` of a shard that has `dim` of `whole_dim` columns, from `first_column`.
template <class Rule, class Format>
TESSEREC_FUNCTION DeviceRow<Format> row_at(const DeviceShard& shard, const DeviceStep& step, Index row, Index dim,
                                           Index first_column, Index whole_dim) {
  const auto state = [&](int s) -> float* {
    if (s >= Rule::column_states + Rule::row_numbers) return nullptr;
    return shard.states[s] + row * (s < Rule::column_states ? dim : 1);
  };
  Index of_table = shard.first_row + row;
  if constexpr (Format::is_short)
    if (shard.rows != nullptr) of_table = shard.rows[row];
  return {static_cast<typename Format::Number*>(shard.weights) + row * dim,
          {state(0), state(1), state(2)},
          first_column / 4,
          whole_dim,
          {step.key0, step.key1, of_table, shard.first_quad}};
}

/// Update of one row by a group of threads. `single`: the group has a thread for each quad.
template <class Rule, bool whole, class Format, bool single = false>
struct RowMove {
  const LaneGroup& lanes;
  const optim::StepScalars& step;
  const DeviceRow<Format>& row;
  Quads<whole> quads;
  RowQuads<whole, Format> weight_quads;
  Rule rule{};

  /// Computes the rule's scalars after `done` rounds. All threads compute the row's numbers, and one stores them.
  TESSEREC_FUNCTION void find_scalars(int done, const float* totals, float* numbers) {
    rule.scalars(step, done, totals, numbers, row.dim);
  }
  TESSEREC_FUNCTION void load_numbers(float* numbers) const {
    for (int i = 0; i < Rule::row_numbers; ++i) numbers[i] = *row.states[Rule::column_states + i];
  }
  TESSEREC_FUNCTION void store_numbers(const float* numbers) const {
    if constexpr (Rule::row_numbers == 0) return;
    lanes.sync();
    if (lanes.lane != 0) return;
    for (int i = 0; i < Rule::row_numbers; ++i) *row.states[Rule::column_states + i] = numbers[i];
  }

  /// Calls body(column, gradient) for each column of the thread's quads, then stores the selected values.
  template <bool weights, bool states, class Gradient, class Body>
  TESSEREC_FUNCTION void over_columns(const Gradient& gradient, const Body& body) const {
    constexpr int columns = Rule::column_states;
    for (Index q = lanes.lane; q < quads.count(); q += lanes.width) {
      const Quad g = gradient(q);
      Quad w = weight_quads.load(row.weights, q), m{}, v{};
      if constexpr (columns > 0) m = quads.load(row.states[0], q);
      if constexpr (columns > 1) v = quads.load(row.states[1], q);
      TESSEREC_UNROLL
      for (int c = 0; c < 4; ++c) {
        optim::Column column{w.v[c], m.v[c], v.v[c]};
        body(column, g.v[c]);
        w.v[c] = column.w;
        m.v[c] = column.m;
        v.v[c] = column.v;
      }
      if constexpr (weights) weight_quads.store(row.weights, q, w, row.rounding);
      if constexpr (states && columns > 0) quads.store(row.states[0], q, m);
      if constexpr (states && columns > 1) quads.store(row.states[1], q, v);
    }
  }

  template <class Gradient>
  TESSEREC_FUNCTION void touch(int round, const Gradient& gradient) const {
    over_columns<false, true>(gradient, [&](optim::Column& column, float g) { rule.touch(step, round, column, g); });
  }

  /// Returns the sum of squares of the k-th value of a round over quad q.
  template <class Gradient>
  TESSEREC_FUNCTION float squares(int round, int k, const Gradient& gradient, Index q) const {
    constexpr int columns = Rule::column_states;
    const Quad g = gradient(q), w = weight_quads.load(row.weights, q);
    Quad m{}, v{};
    if constexpr (columns > 0) m = quads.load(row.states[0], q);
    if constexpr (columns > 1) v = quads.load(row.states[1], q);
    float sum = 0.0f;
    TESSEREC_UNROLL
    for (int c = 0; c < 4; ++c) {
      if (!quads.has(q, c)) break;
      const float value = rule.value(step, round, k, optim::Column{w.v[c], m.v[c], v.v[c]}, g.v[c]);
      sum = std::fma(value, value, sum);
    }
    return sum;
  }

  /// Sums squares over all columns by the fixed tree over quads: first inside the group, then over groups of quads. All
  /// threads get the sum.
  template <class Gradient>
  TESSEREC_FUNCTION float sum_of_squares(int round, int k, const Gradient& gradient) const {
    constexpr int device_levels = single ? 1 : 12;
    constexpr int levels = device_is_host ? 28 : device_levels;
    const Index count = quads.count();
    TreeSum<float, levels> tree;
    float sum = 0.0f;
    for (Index first = 0; first < count; first += lanes.width) {
      const Index q = first + lanes.lane;
      sum = q < count ? squares(round, k, gradient, q) : 0.0f;
      for (int half = 1; half < lanes.width; half *= 2) {
        const float other = lanes.of_lane(sum, half);
        if (first + ((lanes.lane / half) ^ 1) * half < count) sum += other;  // an absent quad adds nothing
      }
      if constexpr (single) return sum;
      const Index leaf = first / lanes.width;
      if (count > lanes.width) tree.climb(sum, first + lanes.width < count ? height_above(leaf, leaf + 1) : last_leaf);
    }
    return sum;
  }

  /// Writes the sums over this owner's whole subtrees of quads to out [subtrees]. Runs on one thread.
  template <class Gradient>
  TESSEREC_FUNCTION Index sum_subtrees(int round, int k, const Gradient& gradient, float* out) const {
    constexpr int levels = 28;
    const Index end = row.first_block + quads.count();
    TreeSum<float, levels> tree;
    Index subtrees = 0;
    for (Index block = row.first_block; block < end; ++block) {
      float sum = squares(round, k, gradient, block - row.first_block);
      const int height = block + 1 < end ? next_height(block, block + 1, row.first_block, end) : last_leaf;
      tree.climb(sum, height);
      if (height == last_leaf) out[subtrees++] = sum;
    }
    return subtrees;
  }

  template <class Gradient>
  TESSEREC_FUNCTION void move(const Gradient& gradient) const {
    over_columns<true, Rule::moves_states>(gradient,
                                           [&](optim::Column& column, float g) { rule.move(step, column, g); });
  }

  /// Updates a whole row.
  template <class Gradient>
  TESSEREC_FUNCTION void operator()(const Gradient& gradient) {
    float numbers[2] = {}, totals[2] = {};
    load_numbers(numbers);
    find_scalars(0, totals, numbers);
    for (int round = 0; round < Rule::rounds; ++round) {
      if (Rule::touches(round)) touch(round, gradient);
      for (int k = 0; k < Rule::sums(round); ++k) totals[k] = sum_of_squares(round, k, gradient);
      find_scalars(round + 1, totals, numbers);
    }
    move(gradient);
    store_numbers(numbers);
  }
};

}  // namespace tesserec::embedding
