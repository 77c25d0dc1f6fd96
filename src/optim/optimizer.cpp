// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <cmath>

#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {
namespace {

// In all of these: h = g + l2*w, and the decoupled decay is in `shrink`, which is exactly 1 without it.

TESSEREC_KERNEL void move_sgd(const StepScalars& s, float* w, const float* g, Index n) {
  const float lr = s.lr, l2 = s.l2, shrink = s.shrink;
  for (Index i = 0; i < n; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    w[i] = std::fma(-lr, h, shrink * w[i]);
  }
}

TESSEREC_KERNEL void move_adagrad(const StepScalars& s, float* w, const float* g, float* sum, Index n) {
  const float lr = s.lr, l2 = s.l2, shrink = s.shrink, eps = s.eps;
  for (Index i = 0; i < n; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    sum[i] = std::fma(h, h, sum[i]);
    w[i] = shrink * w[i] - lr * h / (std::sqrt(sum[i]) + eps);
  }
}

TESSEREC_KERNEL void move_adam(const StepScalars& s, float* w, const float* g, float* m, float* v, Index n) {
  const float lr = s.lr, l2 = s.l2, shrink = s.shrink, eps = s.eps;
  const float beta1 = s.beta1, beta2 = s.beta2, rest1 = s.rest1, rest2 = s.rest2;
  const float correction1 = s.correction1, correction2 = s.correction2;
  for (Index i = 0; i < n; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    m[i] = std::fma(beta1, m[i], rest1 * h);
    v[i] = std::fma(beta2, v[i], rest2 * h * h);
    w[i] = shrink * w[i] - lr * (m[i] * correction1) / (std::sqrt(v[i]) * correction2 + eps);
  }
}

/// Sum of h*h over columns [first, min(first + 4, n)).
inline float block_squares(float l2, const float* w, const float* g, Index first, Index n) {
  float sum = 0.0f;
  const Index end = first + 4 < n ? first + 4 : n;
  for (Index i = first; i < end; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    sum = std::fma(h, h, sum);
  }
  return sum;
}

/// Sum of h*h: blocks of 4 columns, blocks by the fixed tree.
inline float row_squares(float l2, const float* w, const float* g, Index n) {
  float sums[64];  // of whole subtrees, the largest first
  int size = 0;
  for (Index block = 0; block * 4 < n; ++block) {
    float sum = block_squares(l2, w, g, block * 4, n);
    for (Index k = block; k & 1; k >>= 1) sum = sums[--size] + sum;  // block + 1 has that many trailing zeros
    sums[size++] = sum;
  }
  float sum = size > 0 ? sums[--size] : 0.0f;
  while (size > 0) sum = sums[--size] + sum;
  return sum;
}

inline void move_row_adagrad(const StepScalars& s, float* w, const float* g, float* row_sum, float squares, Index dim,
                             Index n) {
  const float l2 = s.l2, shrink = s.shrink;
  row_sum[0] += squares / float(dim);
  const float rate = s.lr / (std::sqrt(row_sum[0]) + s.eps);
  for (Index i = 0; i < n; ++i) w[i] = std::fma(-rate, std::fma(l2, w[i], g[i]), shrink * w[i]);
}

TESSEREC_KERNEL void move_whole_row_adagrad(const StepScalars& s, float* w, const float* g, float* row_sum, Index n) {
  move_row_adagrad(s, w, g, row_sum, row_squares(s.l2, w, g, n), n, n);
}

/// base^n by repeated squaring.
double power(double base, Index n) {
  double result = 1;
  for (; n > 0; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}

}  // namespace

std::vector<StateInfo> states(Type type) {
  switch (type) {
    case Type::adagrad:
      return {{"sum", false}};
    case Type::rowwise_adagrad:
      return {{"row_sum", true}};
    case Type::adam:
      return {{"exp_avg", false}, {"exp_avg_sq", false}};
    default:
      return {};
  }
}

StepScalars step_scalars(const Settings& settings, double lr, Index step) {
  assert(step >= 1);
  StepScalars s;
  s.type = settings.type;
  s.lr = lr;
  s.eps = settings.eps;
  s.beta1 = settings.beta1;
  s.beta2 = settings.beta2;
  s.rest1 = 1.0 - settings.beta1;
  s.rest2 = 1.0 - settings.beta2;
  s.l2 = settings.decay == Decay::l2 ? float(settings.weight_decay) : 0.0f;
  s.shrink = settings.decay == Decay::decoupled ? float(1.0 - lr * settings.weight_decay) : 1.0f;
  s.correction1 = 1.0 / (1.0 - power(settings.beta1, step));
  s.correction2 = 1.0 / std::sqrt(1.0 - power(settings.beta2, step));
  return s;
}

void move(const StepScalars& step, float* weights, const float* gradient, float* state0, float* state1, Index n) {
  switch (step.type) {
    case Type::sgd:
      return move_sgd(step, weights, gradient, n);
    case Type::adagrad:
      return move_adagrad(step, weights, gradient, state0, n);
    case Type::adam:
      return move_adam(step, weights, gradient, state0, state1, n);
    case Type::rowwise_adagrad:
      assert(!"rowwise_adagrad moves whole rows");
      return;
  }
}

TESSEREC_KERNEL float sum_of_squares(const float* gradient, Index n) {
  return row_squares(0.0f, gradient, gradient, n);
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

TESSEREC_KERNEL void column_square_sums(const StepScalars& step, const float* row, const float* gradient, Range columns,
                                        float* sums) {
  const Range blocks{columns.begin / 4, (columns.end + 3) / 4};
  TreeOrder tree(blocks);
  float slots[TreeOrder::max_slots];
  const auto add = [&](int into, int from) { slots[into] += slots[from]; };
  for (Index block = blocks.begin; block < blocks.end; ++block)
    slots[tree.push(block, add)] = block_squares(step.l2, row, gradient, block * 4 - columns.begin, columns.size());
  tree.finish(add);
  for (int i = 0; i < tree.size(); ++i) sums[i] = slots[i];
}

TESSEREC_KERNEL void move_columns(const StepScalars& step, float* row, const float* gradient, float* row_sum,
                                  float squares, Index dim, Index n) {
  move_row_adagrad(step, row, gradient, row_sum, squares, dim, n);
}

void move_row(const StepScalars& step, float* row, const float* gradient, float* state0, float* state1, Index n) {
  if (step.type == Type::rowwise_adagrad)
    move_whole_row_adagrad(step, row, gradient, state0, n);
  else
    move(step, row, gradient, state0, state1, n);
}

}  // namespace tesserec::optim
