// SPDX-License-Identifier: Apache-2.0
/// How a row moves, type by type, cut so that loops over columns and kernels of a device call the same formulas. In
/// turn, for done = 0 .. rounds:
///   scalars   once a row, from its own numbers, which may change, and the totals of round done - 1 (null for 0);
/// then, if done < rounds,
///   touch     of each column: states that change before a sum,
///   value     of each column, for sums(done) sums: its squares are added over the whole row;
/// and in the end
///   move      of each column.
/// A rule lives for one row; what is kept between rounds stands in the row's numbers. g is the gradient, h = g + l2 w;
/// the decoupled decay is in `shrink`, which is exactly 1 without it.
#pragma once

#include <cmath>

#include <tesserec/core/kernel.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {

/// A weight, and those of its type's states that are as long as the weights, in their order.
struct Column {
  float w, m, v;
};

/// base^n by repeated squaring.
TESSEREC_FUNCTION double power(double base, Index n) {
  double result = 1;
  for (; n > 0; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}
/// Adam's, after so many steps.
TESSEREC_FUNCTION float mean_correction(double beta1, Index steps) { return 1.0 / (1.0 - power(beta1, steps)); }
TESSEREC_FUNCTION float root_correction(double beta2, Index steps) {
  return 1.0 / std::sqrt(1.0 - power(beta2, steps));
}

/// A number of a gradient times `scale`, cut to magnitude `most`, which may be infinite.
TESSEREC_FUNCTION float limited(float scale, float most, float g) {
  const float scaled = scale * g;
  const float below = scaled > most ? most : scaled;
  return below < -most ? -most : below;
}

namespace rules {

TESSEREC_FUNCTION float decayed(const StepScalars& s, const Column& c, float g) { return std::fma(s.l2, c.w, g); }

TESSEREC_FUNCTION void descend(float rate, float shrink, const StepScalars& s, Column& c, float g) {
  c.w = std::fma(-rate, decayed(s, c, g), shrink * c.w);
}

/// Numbers that a weight moves by alone. The states of a column come first, then a row's numbers.
struct Elementwise {
  static constexpr int rounds = 0, row_numbers = 0;
  static constexpr bool moves_states = true;  // move changes them
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

/// use(rule) with the rule of an elementwise type.
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
