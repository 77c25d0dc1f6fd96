// SPDX-License-Identifier: Apache-2.0
/// Dot interaction on a device, with one team per sample. A team stages a block of columns of all the sample's vectors
/// in scratch memory. Each thread computes register tiles of pairs, or of the gradient.
#pragma once

#include <algorithm>

#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/rows.hpp>
#include <tesserec/products/dots.hpp>

namespace tesserec::layers {

struct DotTeams {
  static constexpr int members = device_is_host ? 1 : 32;
  static constexpr int tile = 4;             // vectors x vectors of pairs, vectors x columns of the gradient
  static constexpr Index staged = 6 * 1024;  // floats, 24 KiB of scratch memory
  products::DotShape shape;
  Index block, pitch;               // columns staged at once; floats between staged vectors, odd
  const Rows<const float>* inputs;  // [vectors]

  explicit DotTeams(const products::DotShape& s)
      : shape(s), block(std::clamp<Index>(staged / s.vectors - 1, 1, s.dim)), pitch(block + 1 - block % 2), inputs() {}
  std::size_t scratch() const { return shape.vectors * pitch * sizeof(float); }
  TESSEREC_FUNCTION Index pairs_before(Index i) const { return i * (i - 1) / 2 + (shape.itself ? i : 0); }

  /// Stages the sample's vectors in scratch memory z [vectors, pitch], a block of columns at a time. Calls
  /// body(z, columns) for each block.
  template <class Team, class Body>
  TESSEREC_FUNCTION void over_blocks(const Team& team, const Body& body) const {
    float* const z = scratch_of(team, shape.vectors * pitch);
    for (Index first = 0; first < shape.dim; first += block) {
      const Index numbers = shape.dim - first < block ? shape.dim - first : block;
      for (Index t = team.team_rank(); t < shape.vectors * numbers; t += members)
        z[t / numbers * pitch + t % numbers] = inputs[t / numbers][team.league_rank()][first + t % numbers];
      team.team_barrier();
      body(z, Range{first, first + numbers});
      team.team_barrier();
    }
  }
  TESSEREC_FUNCTION Index at_most(Index vector) const { return vector < shape.vectors ? vector : shape.vectors - 1; }
};

struct DotForward {
  static constexpr int tile = DotTeams::tile, members = DotTeams::members;
  DotTeams dots;
  Rows<float> out;

  template <class Team>
  TESSEREC_FUNCTION void operator()(const Team& team) const {
    const Index sample = team.league_rank(), dim = dots.shape.dim;
    float* const pairs = out[sample] + dim;
    const Index side = (dots.shape.vectors + tile - 1) / tile, tiles = side * (side + 1) / 2;
    dots.over_blocks(team, [&](const float* z, Range columns) {
      Index ti = 0;  // tile row, after ti (ti + 1) / 2 tiles
      for (Index t = team.team_rank(); t < tiles; t += members) {
        while ((ti + 1) * (ti + 2) / 2 <= t) ++ti;
        pair_tile(z, ti * tile, (t - ti * (ti + 1) / 2) * tile, columns.size(), columns.begin == 0, pairs);
      }
    });
    for (Index c = team.team_rank(); c < dim; c += members) out[sample][c] = dots.inputs[0][sample][c];
  }

  /// Adds `numbers` columns to the pairs of vectors [i, i + tile) with [j, j + tile), one fma chain each in order.
  TESSEREC_FUNCTION void pair_tile(const float* z, Index i, Index j, Index numbers, bool begins, float* pairs) const {
    float sum[tile][tile];
    TESSEREC_UNROLL
    for (int r = 0; r < tile; ++r) {
      TESSEREC_UNROLL
      for (int c = 0; c < tile; ++c) sum[r][c] = !begins && is_pair(i + r, j + c) ? pairs[place(i + r, j + c)] : 0.0f;
    }
    const float *rows[tile], *columns[tile];
    TESSEREC_UNROLL
    for (int r = 0; r < tile; ++r)
      rows[r] = z + dots.at_most(i + r) * dots.pitch, columns[r] = z + dots.at_most(j + r) * dots.pitch;
    for (Index d = 0; d < numbers; ++d) {
      TESSEREC_UNROLL
      for (int r = 0; r < tile; ++r) {
        TESSEREC_UNROLL
        for (int c = 0; c < tile; ++c) sum[r][c] = std::fma(rows[r][d], columns[c][d], sum[r][c]);
      }
    }
    TESSEREC_UNROLL
    for (int r = 0; r < tile; ++r) {
      TESSEREC_UNROLL
      for (int c = 0; c < tile; ++c)
        if (is_pair(i + r, j + c)) pairs[place(i + r, j + c)] = sum[r][c];
    }
  }
  TESSEREC_FUNCTION bool is_pair(Index i, Index j) const {
    return i < dots.shape.vectors && j < i + (dots.shape.itself ? 1 : 0);
  }
  TESSEREC_FUNCTION Index place(Index i, Index j) const { return dots.pairs_before(i) + j; }
};

struct DotBackward {
  static constexpr int tile = DotTeams::tile, members = DotTeams::members;
  DotTeams dots;
  Rows<const float> upstream;
  const Rows<float>* gradients;  // [vectors]; null data = not wanted

  template <class Team>
  TESSEREC_FUNCTION void operator()(const Team& team) const {
    const Index sample = team.league_rank(), side = (dots.shape.vectors + tile - 1) / tile;
    const float* const slopes = upstream[sample] + dots.shape.dim;
    dots.over_blocks(team, [&](const float* z, Range columns) {
      const Index stride = (columns.size() + tile - 1) / tile;  // between a tile's columns: warps read contiguously
      for (Index t = team.team_rank(); t < side * stride; t += members)
        gradient_tile(z, sample, t / stride * tile, t % stride, stride, columns, slopes);
    });
  }

  /// Writes gradients of vectors [i, i + tile), columns d, d + stride, ... of `block`: fma over all vectors in order.
  TESSEREC_FUNCTION void gradient_tile(const float* z, Index sample, Index i, Index d, Index stride, Range block,
                                       const float* slopes) const {
    const Index first = block.begin, numbers = block.size();
    float sum[tile][tile] = {};
    for (Index j = 0; j < dots.shape.vectors; ++j) {
      float slope[tile];
      TESSEREC_UNROLL
      for (int r = 0; r < tile; ++r) slope[r] = slope_of(slopes, dots.at_most(i + r), j);
      TESSEREC_UNROLL
      for (int c = 0; c < tile; ++c) {
        const float number = d + c * stride < numbers ? z[j * dots.pitch + d + c * stride] : 0.0f;
        TESSEREC_UNROLL
        for (int r = 0; r < tile; ++r) sum[r][c] = std::fma(slope[r], number, sum[r][c]);
      }
    }
    TESSEREC_UNROLL
    for (int r = 0; r < tile; ++r) {
      const Rows<float> to = gradients[dots.at_most(i + r)];
      if (i + r >= dots.shape.vectors || to.data == nullptr) continue;
      TESSEREC_UNROLL
      for (int c = 0; c < tile; ++c) {
        const Index number = first + d + c * stride;
        if (d + c * stride < numbers)
          to[sample][number] = i + r == 0 ? sum[r][c] + upstream[sample][number] : sum[r][c];
      }
    }
  }
  /// Returns the upstream gradient of a pair, twice that of a vector with itself, or 0 for a pair without output.
  TESSEREC_FUNCTION float slope_of(const float* slopes, Index i, Index j) const {
    if (i == j) return dots.shape.itself ? slopes[dots.pairs_before(i) + i] + slopes[dots.pairs_before(i) + i] : 0.0f;
    return i > j ? slopes[dots.pairs_before(i) + j] : slopes[dots.pairs_before(j) + i];
  }
};

}  // namespace tesserec::layers
