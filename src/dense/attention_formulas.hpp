// SPDX-License-Identifier: Apache-2.0
/// What an attention's MLP reads of number i of a target t and of a vector h, n wide.
#pragma once

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::dense {

/// x = [t, h, t - h, t * h]
TESSEREC_FUNCTION void meet(Index n, Index i, float t, float h, float* x) {
  x[i] = t;
  x[n + i] = h;
  x[2 * n + i] = t - h;
  x[3 * n + i] = t * h;
}
/// dt and dh grow by what x's gradient says.
TESSEREC_FUNCTION void part(Index n, Index i, float t, float h, const float* dx, float& dt, float& dh) {
  dt += dx[i] + dx[2 * n + i] + dx[3 * n + i] * h;
  dh += dx[n + i] - dx[2 * n + i] + dx[3 * n + i] * t;
}

}  // namespace tesserec::dense
