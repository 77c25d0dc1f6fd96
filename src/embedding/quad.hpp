// SPDX-License-Identifier: Apache-2.0
/// Four columns of a row, the unit of work of a thread in a kernel.
#pragma once

#include <cmath>

#include "row_format.hpp"
#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree_sum.hpp>

namespace tesserec::embedding {

struct alignas(16) Quad {
  float v[4];
};
/// Four numbers of a format of 16 bits.
struct alignas(8) ShortQuad {
  std::uint16_t v[4];
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

/// Accessor of rows of weights by quads, in their format.
template <bool whole, class Format>
struct RowQuads {
  Quads<whole> quads;
  Format format;

  TESSEREC_FUNCTION Quad load(const typename Format::Number* row, Index q) const {
    if constexpr (!Format::is_short) return quads.load(row, q);
    Quad quad{};
    if constexpr (Format::is_short && whole) {
      const ShortQuad held = *reinterpret_cast<const ShortQuad*>(row + 4 * q);
      for (int c = 0; c < 4; ++c) quad.v[c] = format.widen(held.v[c]);
    } else {
      for (int c = 0; c < 4; ++c)
        if (quads.has(q, c)) quad.v[c] = format.widen(row[4 * q + c]);
    }
    return quad;
  }
  /// Stores a quad, which rows of 16 bits round stochastically.
  TESSEREC_FUNCTION void store(typename Format::Number* row, Index q, const Quad& quad,
                               const RowRounding& rounding) const {
    if constexpr (!Format::is_short) return quads.store(row, q, quad);
    if constexpr (Format::is_short) {
      std::uint32_t random[4];
      rounding(q, random);
      ShortQuad rounded{};
      for (int c = 0; c < 4; ++c) rounded.v[c] = format.rounded(quad.v[c], random[c]);
      if constexpr (whole) {
        *reinterpret_cast<ShortQuad*>(row + 4 * q) = rounded;
      } else {
        for (int c = 0; c < 4; ++c)
          if (quads.has(q, c)) row[4 * q + c] = rounded.v[c];
      }
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
