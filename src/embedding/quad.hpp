// SPDX-License-Identifier: Apache-2.0
/// Four columns of a row, the unit of work of a thread in a kernel.
#pragma once

#include <cmath>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree_sum.hpp>

namespace tesserec::embedding {

struct alignas(16) Quad {
  float v[4];
};

/// Accessor of vectors of `dim` floats by quads. `whole`: all quads are complete and aligned to 16 bytes. Otherwise
/// floats are accessed one by one, and columns beyond `dim` read as 0.
template <bool whole>
struct Quads {
  Index dim;

  TESSEREC_FUNCTION Index count() const { return (dim + 3) / 4; }
  TESSEREC_FUNCTION bool has(Index q, int c) const { return whole || 4 * q + c < dim; }
  TESSEREC_FUNCTION Quad load(const float* vector, Index q) const {
    if constexpr (whole) return *reinterpret_cast<const Quad*>(vector + 4 * q);
    Quad quad{};
    for (int c = 0; c < 4; ++c)
      if (has(q, c)) quad.v[c] = vector[4 * q + c];
    return quad;
  }
  TESSEREC_FUNCTION void store(float* vector, Index q, const Quad& quad) const {
    if constexpr (whole) {
      *reinterpret_cast<Quad*>(vector + 4 * q) = quad;
    } else {
      for (int c = 0; c < 4; ++c)
        if (has(q, c)) vector[4 * q + c] = quad.v[c];
    }
  }
};

TESSEREC_FUNCTION Quad add(const Quad& a, const Quad& b) {
  return {a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]};
}
TESSEREC_FUNCTION Quad fma(float w, const Quad& x, const Quad& sum) {
  return {std::fma(w, x.v[0], sum.v[0]), std::fma(w, x.v[1], sum.v[1]), std::fma(w, x.v[2], sum.v[2]),
          std::fma(w, x.v[3], sum.v[3])};
}

}  // namespace tesserec::embedding
