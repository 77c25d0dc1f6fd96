// SPDX-License-Identifier: Apache-2.0
// One step of a row, whole or by several owners of its columns.
#include <cassert>

#include "row_rules.hpp"

namespace tesserec::optim {
namespace {

constexpr int most_sums = 2;  // of a round

TESSEREC_KERNEL void move_whole_row(const StepScalars& step, const Row& row) {
  with_rule(
      step.type, [&](auto rule) __attribute__((always_inline)) {
        float totals[2][most_sums];  // of this round and the one before
        for (int round = 0; round < rule.rounds; ++round)
          rule.sums(step, round, row, totals[(round + 1) % 2], WholeRow{row.columns.size(), totals[round % 2]});
        rule.move(step, row, totals[(rule.rounds + 1) % 2]);
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
  with_rule(
      step.type, [&](auto rule) __attribute__((always_inline)) {
        rule.sums(step, round, row, totals, Subtrees{row.columns, sums});
      });
}

TESSEREC_KERNEL void move_columns(const StepScalars& step, const Row& row, const float* totals) {
  with_rule(
      step.type, [&](auto rule) __attribute__((always_inline)) { rule.move(step, row, totals); });
}

TESSEREC_KERNEL float sum_of_squares(const float* gradient, Index n) {
  float total;
  WholeRow{n, &total}(0, Gradient{0.0f, gradient, gradient});
  return total;
}

}  // namespace tesserec::optim
