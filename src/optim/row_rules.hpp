// SPDX-License-Identifier: Apache-2.0
/// Rules by which a row moves by sums over its columns, or has states of its own. `sums` makes those of a round,
/// `move` moves the row after the last one; both take the totals of the round before.
#pragma once

#include <algorithm>

#include "formulas.hpp"
#include "row_sums.hpp"

namespace tesserec::optim {

/// A running mean square of a row.
TESSEREC_FUNCTION void add_square(const StepScalars& s, const Row& row, float squares, float* mean) {
  *mean = std::fma(s.beta2, *mean, s.rest2 * (squares / float(row.dim)));
}

/// Where either length is 0 the row moves as if they were equal.
TESSEREC_FUNCTION float trust_ratio(float weights, float update) {
  return weights > 0.0f && update > 0.0f ? weights / update : 1.0f;
}

struct OneRound {
  static constexpr int rounds = 1;
  template <class Sum>
  TESSEREC_FUNCTION static void sums(const StepScalars& s, int, const Row& row, const float*, const Sum& sum) {
    sum(0, Gradient{s.l2, row.weights, row.gradient});
  }
};

struct RowwiseAdagrad : OneRound {
  TESSEREC_FUNCTION static void move(const StepScalars& s, const Row& row, const float* totals) {
    float& sum = *row.states[0];
    sum += totals[0] / float(row.dim);
    descend(s.lr / (std::sqrt(sum) + s.eps), s.l2, s.shrink, row.weights, row.gradient, row.columns.size());
  }
};

struct RowwiseRmsprop : OneRound {
  TESSEREC_FUNCTION static void move(const StepScalars& s, const Row& row, const float* totals) {
    float &mean = *row.states[0], &last = *row.states[1];  // steps as floats: exact up to 2^24 of them
    add_square(s, row, totals[0], &mean);
    const float gap = last > 0.0f ? s.step - last : 1.0f;
    const float kept = std::max(s.min_shrinkage, 1.0f - std::min(s.forget * gap, 1.0f));
    last = s.step;
    descend(s.lr / (std::sqrt(mean) + s.eps), s.l2, s.shrink * kept, row.weights, row.gradient, row.columns.size());
  }
};

struct AdamRowwiseBias {
  static constexpr int rounds = 0;
  template <class Sum>
  static void sums(const StepScalars&, int, const Row&, const float*, const Sum&) {}
  TESSEREC_FUNCTION static void move(const StepScalars& s, const Row& row, const float*) {
    const float count = *row.states[2] += 1.0f;  // beyond 2^24 it stays, and no correction is left
    adam(s, mean_correction(s.exact_beta1, Index(count)), root_correction(s.exact_beta2, Index(count)), row.weights,
         row.gradient, row.states[0], row.states[1], row.columns.size());
  }
};

struct PartialRowwiseAdam : OneRound {
  TESSEREC_FUNCTION static void move(const StepScalars& s, const Row& row, const float* totals) {
    add_square(s, row, totals[0], row.states[1]);
    const float l2 = s.l2, shrink = s.shrink, beta1 = s.beta1, rest1 = s.rest1;
    const float rate = s.lr * s.correction1 / (std::sqrt(*row.states[1]) * s.correction2 + s.eps);
    float *w = row.weights, *m = row.states[0];
    const float* g = row.gradient;
    for (Index i = 0; i < row.columns.size(); ++i) {
      const float h = std::fma(l2, w[i], g[i]);
      m[i] = std::fma(beta1, m[i], rest1 * h);
      w[i] = std::fma(-rate, m[i], shrink * w[i]);
    }
  }
};

struct LarsSgd {
  static constexpr int rounds = 1;
  template <class Sum>
  TESSEREC_FUNCTION static void sums(const StepScalars&, int, const Row& row, const float*, const Sum& sum) {
    sum(0, Gradient{0.0f, row.weights, row.gradient});
    sum(1, Gradient{0.0f, row.weights, row.weights});
  }
  TESSEREC_FUNCTION static void move(const StepScalars& s, const Row& row, const float* totals) {
    const float gradient = std::sqrt(totals[0]), weights = std::sqrt(totals[1]);
    const float rate = s.lr * trust_ratio(s.eta * weights, std::fma(s.l2, weights, gradient));
    const float l2 = s.l2, shrink = s.shrink, momentum = s.momentum;
    float *w = row.weights, *m = row.states[0];
    const float* g = row.gradient;
    for (Index i = 0; i < row.columns.size(); ++i) {
      m[i] = std::fma(momentum, m[i], rate * std::fma(l2, w[i], g[i]));
      w[i] = shrink * w[i] - m[i];
    }
  }
};

/// LAMB, whose update is one of a row: sums and move by it.
template <class Update>
struct LambByUpdate {
  template <class Sum>
  TESSEREC_FUNCTION static void sums(const StepScalars& s, const Row& row, const Sum& sum) {
    sum(0, Update(s, row));
    sum(1, Gradient{0.0f, row.weights, row.weights});
  }
  TESSEREC_FUNCTION static void move(const StepScalars& s, const Row& row, const float* totals) {
    const float rate = s.lr * trust_ratio(std::sqrt(totals[1]), std::sqrt(totals[0]));
    const Update update(s, row);
    for (Index i = 0; i < row.columns.size(); ++i) row.weights[i] = std::fma(-rate, update(i), row.weights[i]);
  }
};

struct LambUpdate {
  float correction1, correction2, eps, decoupled;
  const float *w, *m, *v;
  TESSEREC_FUNCTION LambUpdate(const StepScalars& s, const Row& row)
      : correction1(s.correction1),
        correction2(s.correction2),
        eps(s.eps),
        decoupled(s.decoupled),
        w(row.weights),
        m(row.states[0]),
        v(row.states[1]) {}
  TESSEREC_FUNCTION float operator()(Index i) const {
    return std::fma(decoupled, w[i], m[i] * correction1 / (std::sqrt(v[i]) * correction2 + eps));
  }
};

struct Lamb : LambByUpdate<LambUpdate> {
  static constexpr int rounds = 1;
  template <class Sum>
  TESSEREC_FUNCTION static void sums(const StepScalars& s, int, const Row& row, const float*, const Sum& sum) {
    const float l2 = s.l2, beta1 = s.beta1, beta2 = s.beta2, rest1 = s.rest1, rest2 = s.rest2;
    const float *w = row.weights, *g = row.gradient;
    float *m = row.states[0], *v = row.states[1];
    for (Index i = 0; i < row.columns.size(); ++i) {
      const float h = std::fma(l2, w[i], g[i]);
      m[i] = std::fma(beta1, m[i], rest1 * h);
      v[i] = std::fma(beta2, v[i], rest2 * h * h);
    }
    LambByUpdate::sums(s, row, sum);
  }
};

struct PartialRowwiseLambUpdate {
  float scale, decoupled;
  const float *w, *m;
  TESSEREC_FUNCTION PartialRowwiseLambUpdate(const StepScalars& s, const Row& row)
      : scale(s.correction1 / (std::sqrt(*row.states[1]) * s.correction2 + s.eps)),
        decoupled(s.decoupled),
        w(row.weights),
        m(row.states[0]) {}
  TESSEREC_FUNCTION float operator()(Index i) const { return std::fma(decoupled, w[i], m[i] * scale); }
};

struct PartialRowwiseLamb : LambByUpdate<PartialRowwiseLambUpdate> {
  static constexpr int rounds = 2;
  template <class Sum>
  TESSEREC_FUNCTION static void sums(const StepScalars& s, int round, const Row& row, const float* totals,
                                     const Sum& sum) {
    const Gradient h{s.l2, row.weights, row.gradient};
    if (round == 0) return sum(0, h);
    add_square(s, row, totals[0], row.states[1]);
    const float beta1 = s.beta1, rest1 = s.rest1;
    float* m = row.states[0];
    for (Index i = 0; i < row.columns.size(); ++i) m[i] = std::fma(beta1, m[i], rest1 * h(i));
    LambByUpdate::sums(s, row, sum);
  }
};

/// use(rule) with the rule of a type that is not elementwise.
template <class Use>
TESSEREC_FUNCTION void with_rule(Type type, const Use& use) {
  switch (type) {
    case Type::rowwise_adagrad:
      return use(RowwiseAdagrad());
    case Type::rowwise_rmsprop:
      return use(RowwiseRmsprop());
    case Type::adam_rowwise_bias:
      return use(AdamRowwiseBias());
    case Type::partial_rowwise_adam:
      return use(PartialRowwiseAdam());
    case Type::lamb:
      return use(Lamb());
    case Type::partial_rowwise_lamb:
      return use(PartialRowwiseLamb());
    case Type::lars_sgd:
      return use(LarsSgd());
    default:
      return;
  }
}

}  // namespace tesserec::optim
