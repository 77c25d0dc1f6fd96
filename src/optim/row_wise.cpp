// SPDX-License-Identifier: Apache-2.0
// Update of a row, by the owner of the whole row or by several owners of its columns.
#include <cassert>
#include <cmath>

#include "columns.hpp"
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec::optim {
namespace {

constexpr int max_sums = 2;  // most sums of a round

/// Returns the sum of x(i)^2 over columns [first, min(first + 4, n)).
template <class Value>
TESSEREC_HOST_FUNCTION float block_squares(const Value& x, Index first, Index n) {
  const auto add = [](float sum, float value) __attribute__((always_inline)) { return std::fma(value, value, sum); };
  if (first + 4 <= n) return add(add(add(add(0.0f, x(first)), x(first + 1)), x(first + 2)), x(first + 3));
  float sum = 0.0f;
  for (Index i = first; i < n; ++i) sum = add(sum, x(i));
  return sum;
}

/// Sink of sum_columns_by for a whole row of n columns.
struct WholeRow {
  Index n;
  float* totals;  // [sums]

  template <class Value>
  TESSEREC_HOST_FUNCTION void operator()(int k, const Value& x) const {
    float sums[64];  // sums of whole subtrees, largest first
    int size = 0;
    for (Index block = 0; block * 4 < n; ++block) {
      float sum = block_squares(x, block * 4, n);
      for (Index b = block; b & 1; b >>= 1) sum = sums[--size] + sum;  // once per trailing zero of block + 1
      sums[size++] = sum;
    }
    float sum = size > 0 ? sums[--size] : 0.0f;
    while (size > 0) sum = sums[--size] + sum;
    totals[k] = sum;
  }
};

/// Sink of sum_columns_by for the subtrees of some columns.
struct Subtrees {
  Range columns;
  float* sums;  // [sums, subtrees]

  template <class Value>
  TESSEREC_HOST_FUNCTION void operator()(int k, const Value& x) const {
    const Range blocks{columns.begin / 4, (columns.end + 3) / 4};
    TreeOrder tree(blocks);
    float slots[TreeOrder::max_slots];
    const auto add = [&](int into, int from) { slots[into] += slots[from]; };
    for (Index block = blocks.begin; block < blocks.end; ++block) {
      const float sum = block_squares(x, block * 4 - columns.begin, columns.size());
      slots[tree.push(block, add)] = sum;
    }
    tree.finish(add);
    for (int i = 0; i < tree.size(); ++i) sums[k * tree.size() + i] = slots[i];
  }
};

TESSEREC_HOST_FUNCTION Columns columns(const Row& row) {
  return {row.weights, row.gradient, row.states[0], row.states[1], row.columns.size()};
}

/// Computes the rule's scalars after `done` rounds, and updates the row's own numbers.
template <class Rule>
TESSEREC_HOST_FUNCTION void find_scalars(Rule& rule, const StepScalars& step, int done, const float* totals,
                                         const Row& row) {
  float numbers[2] = {};
  for (int i = 0; i < Rule::row_numbers; ++i) numbers[i] = *row.states[Rule::column_states + i];
  rule.scalars(step, done, totals, numbers, row.dim);
  for (int i = 0; i < Rule::row_numbers; ++i) *row.states[Rule::column_states + i] = numbers[i];
}

TESSEREC_KERNEL void move_whole_row(const StepScalars& step, const Row& row) {
  with_row_rule(
      step.type, [&](auto rule) __attribute__((always_inline)) {
        float totals[max_sums];
        find_scalars(rule, step, 0, nullptr, row);
#pragma GCC unroll 2
        for (int round = 0; round < rule.rounds; ++round) {
          sum_columns_by(rule, step, round, columns(row), WholeRow{row.columns.size(), totals});
          find_scalars(rule, step, round + 1, totals, row);
        }
        move_columns_by(rule, step, columns(row));
      });
}

}  // namespace

void move_row(const StepScalars& step, const Row& row) {
  if (step.elementwise)
    move(step, row.weights, row.gradient, row.states, row.columns.size());
  else
    move_whole_row(step, row);
}

std::vector<Index> column_subtrees(Range columns) {
  assert(columns.begin % 4 == 0);
  const Range blocks{columns.begin / 4, (columns.end + 3) / 4};
  TreeOrder tree(blocks);
  const auto nothing = [](int, int) {};
  for (Index block = blocks.begin; block < blocks.end; ++block) tree.push(block, nothing);
  tree.finish(nothing);
  std::vector<Index> leaves;
  for (int i = 0; i < tree.size(); ++i) leaves.push_back(tree.leaf(i));
  return leaves;
}

TESSEREC_KERNEL void sum_columns(const StepScalars& step, int round, const Row& row, const float* totals, float* sums) {
  with_row_rule(
      step.type, [&](auto rule) __attribute__((always_inline)) {
        find_scalars(rule, step, round, totals, row);
        sum_columns_by(rule, step, round, columns(row), Subtrees{row.columns, sums});
      });
}

TESSEREC_KERNEL void move_columns(const StepScalars& step, const Row& row, const float* totals) {
  with_row_rule(
      step.type, [&](auto rule) __attribute__((always_inline)) {
        find_scalars(rule, step, rule.rounds, totals, row);
        move_columns_by(rule, step, columns(row));
      });
}

TESSEREC_KERNEL float sum_of_squares(const float* gradient, Index n) {
  float total;
  WholeRow{n, &total}(
      0, [gradient](Index i) __attribute__((always_inline)) { return gradient[i]; });
  return total;
}

}  // namespace tesserec::optim
