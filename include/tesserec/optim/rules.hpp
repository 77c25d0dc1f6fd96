// SPDX-License-Identifier: Apache-2.0
/// Update rules by type, split so that host loops over columns and device kernels share the formulas. The functions of
/// a rule are called in this order, for done = 0 .. rounds:
///   scalars   once per row, with its own numbers, which may change, and the totals of round done - 1 (null for 0);
///   touch     if done < rounds, for each column, to change states before a sum;
///   value     if done < rounds, for each column and each of sums(done) sums of squares over the whole row;
///   move      if done = rounds, for each column.
/// A rule lives for one row; values that outlive a round are kept in the row's numbers. g is the gradient and h = g +
/// l2 w. The decoupled decay is in `shrink`, which is exactly 1 without decay.
#pragma once

#include <cmath>

#include <tesserec/core/kernel.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {

/// Weight with the states of its type that are per weight, in the order of the type's states.
struct Column {
  float w, m, v;
};

/// Computes base^n by repeated squaring.
TESSEREC_FUNCTION double power(double base, Index n) {
  double result = 1;
  for (; n > 0; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}
/// Computes Adam's bias correction of the mean gradient after `steps` steps.
TESSEREC_FUNCTION float mean_correction(double beta1, Index steps) { return 1.0 / (1.0 - power(beta1, steps)); }
/// Computes Adam's bias correction of the root mean square after `steps` steps.
TESSEREC_FUNCTION float root_correction(double beta2, Index steps) {
  return 1.0 / std::sqrt(1.0 - power(beta2, steps));
}

/// Multiplies a gradient's number by `scale` and clips it to magnitude `bound`, which may be infinite.
TESSEREC_FUNCTION float limited(float scale, float bound, float g) {
  const float scaled = scale * g;
  const float below = scaled > bound ? bound : scaled;
  return below < -bound ? -bound : below;
}

namespace rules {

/// Returns the gradient with l2 decay, h = g + l2 w.
TESSEREC_FUNCTION float decayed(const StepScalars& s, const Column& c, float g) { return std::fma(s.l2, c.w, g); }

/// Takes a step of gradient descent: w = shrink w - rate h.
TESSEREC_FUNCTION void descend(float rate, float shrink, const StepScalars& s, Column& c, float g) {
  c.w = std::fma(-rate, decayed(s, c, g), shrink * c.w);
}

/// Base of the rules under which a weight's step depends on its own numbers alone. Its states per column precede those
/// per row.
struct Elementwise {
  static constexpr int rounds = 0, row_numbers = 0;
  static constexpr bool moves_states = true;  // move() changes the states
  TESSEREC_FUNCTION static constexpr int sums(int) { return 0; }
  TESSEREC_FUNCTION static constexpr bool touches(int) { return false; }
  TESSEREC_FUNCTION void scalars(const StepScalars&, int, const float*, float*, Index) {}
  TESSEREC_FUNCTION void touch(const StepScalars&, int, Column&, float) const {}
  TESSEREC_FUNCTION float value(const StepScalars&, int, int, const Column&, float) const { return 0.0f; }
};

struct Sgd : Elementwise {
  static constexpr int column_states = 0;
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const { descend(s.lr, s.shrink, s, c, g); }
};

struct MomentumSgd : Elementwise {
  static constexpr int column_states = 1;
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const {
    c.m = std::fma(s.momentum, c.m, decayed(s, c, g));
    c.w = std::fma(-s.lr, c.m, s.shrink * c.w);
  }
};

struct NesterovSgd : Elementwise {
  static constexpr int column_states = 1;
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const {
    const float h = decayed(s, c, g);
    c.m = std::fma(s.momentum, c.m, h);
    c.w = std::fma(-s.lr, std::fma(s.momentum, c.m, h), s.shrink * c.w);
  }
};

struct Adagrad : Elementwise {
  static constexpr int column_states = 1;
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const {
    const float h = decayed(s, c, g);
    c.m = std::fma(h, h, c.m);
    c.w = s.shrink * c.w - s.lr * h / (std::sqrt(c.m) + s.eps);
  }
};

/// Takes a step of Adam with the given bias corrections.
TESSEREC_FUNCTION void adam(const StepScalars& s, float correction1, float correction2, Column& c, float g) {
  const float h = decayed(s, c, g);
  c.m = std::fma(s.beta1, c.m, s.rest1 * h);
  c.v = std::fma(s.beta2, c.v, s.rest2 * h * h);
  c.w = s.shrink * c.w - s.lr * (c.m * correction1) / (std::sqrt(c.v) * correction2 + s.eps);
}

struct Adam : Elementwise {
  static constexpr int column_states = 2;
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const {
    adam(s, s.correction1, s.correction2, c, g);
  }
};

struct Lion : Elementwise {
  static constexpr int column_states = 1;
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const {
    const float h = decayed(s, c, g);
    const float mixed = std::fma(s.beta1, c.m, s.rest1 * h);
    const float above = mixed > 0.0f ? 1.0f : 0.0f;
    const float below = mixed < 0.0f ? 1.0f : 0.0f;
    const float sign = above - below;
    c.m = std::fma(s.beta2, c.m, s.rest2 * h);
    c.w = std::fma(-s.lr, sign, s.shrink * c.w);
  }
};

}  // namespace rules

/// Calls use(rule) with the rule of an elementwise type. Does nothing for other types.
template <class Use>
[[gnu::always_inline]] inline void with_elementwise_rule(Type type, const Use& use) {
  switch (type) {
    case Type::sgd:
      return use(rules::Sgd());
    case Type::momentum_sgd:
      return use(rules::MomentumSgd());
    case Type::nesterov_sgd:
      return use(rules::NesterovSgd());
    case Type::adagrad:
      return use(rules::Adagrad());
    case Type::adam:
      return use(rules::Adam());
    case Type::lion:
      return use(rules::Lion());
    default:
      return;
  }
}

}  // namespace tesserec::optim
