// SPDX-License-Identifier: Apache-2.0
/// Update rules that use sums over a row's columns or keep numbers per row.
#pragma once

#include <tesserec/optim/rules.hpp>

namespace tesserec::optim {
namespace rules {

/// Returns the ratio of the norms, or 1 if either is 0.
TESSEREC_FUNCTION float trust_ratio(float weights, float update) {
  return weights > 0.0f && update > 0.0f ? weights / update : 1.0f;
}

struct AdamRowwiseBias : Elementwise {
  static constexpr int column_states = 2, row_numbers = 1;
  float correction1, correction2;
  TESSEREC_FUNCTION void scalars(const StepScalars& s, int, const float*, float* row, Index) {
    row[0] += 1.0f;  // beyond 2^24 it stays, and no correction is left
    correction1 = mean_correction(s.exact_beta1, Index(row[0]));
    correction2 = root_correction(s.exact_beta2, Index(row[0]));
  }
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const {
    adam(s, correction1, correction2, c, g);
  }
};

/// Base of the rules that use the mean square of h over the row.
struct BySquares : Elementwise {
  static constexpr int rounds = 1, row_numbers = 1, column_states = 0;
  TESSEREC_FUNCTION static constexpr int sums(int) { return 1; }
  TESSEREC_FUNCTION float value(const StepScalars& s, int, int, const Column& c, float g) const {
    return decayed(s, c, g);
  }

 protected:
  /// Updates a row's running mean square.
  TESSEREC_FUNCTION static void add_square(const StepScalars& s, float squares, Index dim, float& mean) {
    mean = std::fma(s.beta2, mean, s.rest2 * (squares / float(dim)));
  }
};

struct RowwiseAdagrad : BySquares {
  float rate;
  TESSEREC_FUNCTION void scalars(const StepScalars& s, int done, const float* totals, float* row, Index dim) {
    if (done == 0) return;
    row[0] += totals[0] / float(dim);
    rate = s.lr / (std::sqrt(row[0]) + s.eps);
  }
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const { descend(rate, s.shrink, s, c, g); }
};

struct RowwiseRmsprop : BySquares {
  static constexpr int row_numbers = 2;
  float rate, shrink;
  TESSEREC_FUNCTION void scalars(const StepScalars& s, int done, const float* totals, float* row, Index dim) {
    if (done == 0) return;
    float &mean = row[0], &last = row[1];  // steps as floats: exact up to 2^24 of them
    add_square(s, totals[0], dim, mean);
    const float gap = last > 0.0f ? s.step - last : 1.0f;
    const float forgotten = s.forget * gap, left = 1.0f - (1.0f < forgotten ? 1.0f : forgotten);
    const float kept = s.min_shrinkage < left ? left : s.min_shrinkage;
    last = s.step;
    rate = s.lr / (std::sqrt(mean) + s.eps);
    shrink = s.shrink * kept;
  }
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const { descend(rate, shrink, s, c, g); }
};

struct PartialRowwiseAdam : BySquares {
  static constexpr int column_states = 1;
  float rate;
  TESSEREC_FUNCTION void scalars(const StepScalars& s, int done, const float* totals, float* row, Index dim) {
    if (done == 0) return;
    add_square(s, totals[0], dim, row[0]);
    rate = s.lr * s.correction1 / (std::sqrt(row[0]) * s.correction2 + s.eps);
  }
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const {
    c.m = std::fma(s.beta1, c.m, s.rest1 * decayed(s, c, g));
    c.w = std::fma(-rate, c.m, s.shrink * c.w);
  }
};

struct LarsSgd : BySquares {
  static constexpr int column_states = 1, row_numbers = 0;
  float rate;
  TESSEREC_FUNCTION static constexpr int sums(int) { return 2; }
  TESSEREC_FUNCTION float value(const StepScalars&, int, int k, const Column& c, float g) const {
    return k == 0 ? g : c.w;
  }
  TESSEREC_FUNCTION void scalars(const StepScalars& s, int done, const float* totals, float*, Index) {
    if (done == 0) return;
    const float gradient = std::sqrt(totals[0]), weights = std::sqrt(totals[1]);
    rate = s.lr * trust_ratio(s.eta * weights, std::fma(s.l2, weights, gradient));
  }
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float g) const {
    c.m = std::fma(s.momentum, c.m, rate * decayed(s, c, g));
    c.w = s.shrink * c.w - c.m;
  }
};

struct Lamb : BySquares {
  static constexpr int column_states = 2, row_numbers = 0;
  static constexpr bool moves_states = false;
  float rate;
  TESSEREC_FUNCTION static constexpr int sums(int) { return 2; }
  TESSEREC_FUNCTION static constexpr bool touches(int) { return true; }
  TESSEREC_FUNCTION void touch(const StepScalars& s, int, Column& c, float g) const {
    const float h = decayed(s, c, g);
    c.m = std::fma(s.beta1, c.m, s.rest1 * h);
    c.v = std::fma(s.beta2, c.v, s.rest2 * h * h);
  }
  TESSEREC_FUNCTION static float update(const StepScalars& s, const Column& c) {
    return std::fma(s.decoupled, c.w, c.m * s.correction1 / (std::sqrt(c.v) * s.correction2 + s.eps));
  }
  TESSEREC_FUNCTION float value(const StepScalars& s, int, int k, const Column& c, float) const {
    return k == 0 ? update(s, c) : c.w;
  }
  TESSEREC_FUNCTION void scalars(const StepScalars& s, int done, const float* totals, float*, Index) {
    if (done == 1) rate = s.lr * trust_ratio(std::sqrt(totals[1]), std::sqrt(totals[0]));
  }
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float) const {
    c.w = std::fma(-rate, update(s, c), c.w);
  }
};

struct PartialRowwiseLamb : BySquares {
  static constexpr int rounds = 2, column_states = 1;
  static constexpr bool moves_states = false;
  float scale, rate;
  TESSEREC_FUNCTION static constexpr int sums(int round) { return round + 1; }
  TESSEREC_FUNCTION static constexpr bool touches(int round) { return round == 1; }
  TESSEREC_FUNCTION void touch(const StepScalars& s, int, Column& c, float g) const {
    c.m = std::fma(s.beta1, c.m, s.rest1 * decayed(s, c, g));
  }
  TESSEREC_FUNCTION float update(const StepScalars& s, const Column& c) const {
    return std::fma(s.decoupled, c.w, c.m * scale);
  }
  TESSEREC_FUNCTION float value(const StepScalars& s, int round, int k, const Column& c, float g) const {
    if (round == 0) return BySquares::value(s, round, k, c, g);
    return k == 0 ? update(s, c) : c.w;
  }
  TESSEREC_FUNCTION void scalars(const StepScalars& s, int done, const float* totals, float* row, Index dim) {
    if (done == 1) add_square(s, totals[0], dim, row[0]);
    if (done >= 1) scale = s.correction1 / (std::sqrt(row[0]) * s.correction2 + s.eps);
    if (done == 2) rate = s.lr * trust_ratio(std::sqrt(totals[1]), std::sqrt(totals[0]));
  }
  TESSEREC_FUNCTION void move(const StepScalars& s, Column& c, float) const {
    c.w = std::fma(-rate, update(s, c), c.w);
  }
};

}  // namespace rules

/// Calls use(rule) with the rule of a type that is not elementwise. Does nothing for elementwise types.
template <class Use>
[[gnu::always_inline]] inline void with_row_rule(Type type, const Use& use) {
  switch (type) {
    case Type::rowwise_adagrad:
      return use(rules::RowwiseAdagrad());
    case Type::rowwise_rmsprop:
      return use(rules::RowwiseRmsprop());
    case Type::adam_rowwise_bias:
      return use(rules::AdamRowwiseBias());
    case Type::partial_rowwise_adam:
      return use(rules::PartialRowwiseAdam());
    case Type::lamb:
      return use(rules::Lamb());
    case Type::partial_rowwise_lamb:
      return use(rules::PartialRowwiseLamb());
    case Type::lars_sgd:
      return use(rules::LarsSgd());
    default:
      return;
  }
}

}  // namespace tesserec::optim
