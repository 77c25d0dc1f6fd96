// SPDX-License-Identifier: Apache-2.0
// Updates of weights by types whose steps use a weight's own numbers alone.
#include <limits>

#include "columns.hpp"

namespace tesserec::optim {

TESSEREC_KERNEL void limit(float scale, float bound, const float* from, float* to, Index n) {
  if (bound == 0.0f) bound = std::numeric_limits<float>::infinity();
  for (Index i = 0; i < n; ++i) to[i] = limited(scale, bound, from[i]);
}

TESSEREC_KERNEL void move(const StepScalars& step, float* weights, const float* gradient, const States& states,
                          Index n) {
  with_elementwise_rule(
      step.type, [&](auto rule) __attribute__((always_inline)) {
        move_columns_by(rule, step, Columns{weights, gradient, states[0], states[1], n});
      });
}

}  // namespace tesserec::optim
