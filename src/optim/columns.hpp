// SPDX-License-Identifier: Apache-2.0
/// Loops over consecutive weights by a rule. They copy the scalars, because stores to the weights might alias them.
#pragma once

#include <tesserec/optim/row_rules.hpp>

namespace tesserec::optim {

struct Columns {
  float* w;
  const float* g;
  float *m, *v;  // null if the type has fewer states
  Index n;

  template <int states>
  TESSEREC_FUNCTION Column get(Index i) const {
    Column column{w[i], 0.0f, 0.0f};
    if constexpr (states > 0) column.m = m[i];
    if constexpr (states > 1) column.v = v[i];
    return column;
  }
  template <int states>
  TESSEREC_FUNCTION void put_states(Index i, const Column& c) const {
    if constexpr (states > 0) m[i] = c.m;
    if constexpr (states > 1) v[i] = c.v;
  }
};

template <class Rule>
TESSEREC_HOST_FUNCTION void move_columns_by(const Rule& by, const StepScalars& step, const Columns& at) {
  constexpr int states = Rule::column_states;
  const Rule rule = by;
  const StepScalars s = step;
  const Columns x = at;
  for (Index i = 0; i < x.n; ++i) {
    Column c = x.get<states>(i);
    rule.move(s, c, x.g[i]);
    if constexpr (Rule::moves_states) x.put_states<states>(i, c);
    x.w[i] = c.w;
  }
}

/// Calls sum(k, value) for each sum of a round; value(i) returns the value of column i. Changes states first if the
/// rule touches them.
template <class Rule, class Sum>
TESSEREC_HOST_FUNCTION void sum_columns_by(const Rule& by, const StepScalars& step, int round, const Columns& at,
                                           const Sum& sum) {
  constexpr int states = Rule::column_states;
  const Rule rule = by;
  const StepScalars s = step;
  const Columns x = at;
  if (Rule::touches(round))
    for (Index i = 0; i < x.n; ++i) {
      Column c = x.get<states>(i);
      rule.touch(s, round, c, x.g[i]);
      x.put_states<states>(i, c);
    }
  const auto sum_of = [&](int k) __attribute__((always_inline)) {
    sum(
        k, [&](Index i) __attribute__((always_inline)) { return rule.value(s, round, k, x.get<states>(i), x.g[i]); });
  };
  if (Rule::sums(round) > 0) sum_of(0);  // unrolled by hand: each sum gets its own loop
  if (Rule::sums(round) > 1) sum_of(1);
}

}  // namespace tesserec::optim
