// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <tesserec/dense/interaction.hpp>

namespace tesserec::dense {
namespace {

constexpr Index tile_rows = 4;
constexpr Index tile_columns = 16;

constexpr Index round_up(Index n, Index to) { return (n + to - 1) / to * to; }

/// c[r, j] = sum over k in order of a[k, r] * b[k, j]: a tile that g++ keeps in registers when its rows have
/// names.
inline void tile_product(Index n, const float* a, Index lda, const float* b, Index ldb, float* c, Index ldc) {
  float sum0[tile_columns] = {}, sum1[tile_columns] = {}, sum2[tile_columns] = {}, sum3[tile_columns] = {};
  for (Index k = 0; k < n; ++k) {
    const float* at = a + k * lda;
    const float* bt = b + k * ldb;
    const float a0 = at[0], a1 = at[1], a2 = at[2], a3 = at[3];
    for (Index j = 0; j < tile_columns; ++j) {
      sum0[j] = std::fma(a0, bt[j], sum0[j]);
      sum1[j] = std::fma(a1, bt[j], sum1[j]);
      sum2[j] = std::fma(a2, bt[j], sum2[j]);
      sum3[j] = std::fma(a3, bt[j], sum3[j]);
    }
  }
  for (Index j = 0; j < tile_columns; ++j) {
    c[j] = sum0[j];
    c[ldc + j] = sum1[j];
    c[2 * ldc + j] = sum2[j];
    c[3 * ldc + j] = sum3[j];
  }
}

struct Dot {
  Index vectors, dim, diagonal;  // diagonal: 1 with itself
  Index width, pooled_width;
  Index ldv() const { return round_up(vectors, tile_columns); }
  Index ldd() const { return round_up(dim, tile_columns); }
};

/// One column a vector: z^T [D, ldv].
inline void transpose(const Dot& s, const float* bottom, const float* pooled, float* zt) {
  const Index ldv = s.ldv();
  for (Index d = 0; d < s.dim; ++d) zt[d * ldv] = bottom[d];
  for (Index v = 1; v < s.vectors; ++v)
    for (Index d = 0; d < s.dim; ++d) zt[d * ldv + v] = pooled[(v - 1) * s.dim + d];
}

TESSEREC_KERNEL void dot_forward(const Dot& s, Index rows, const float* bottom, const float* pooled, float* out,
                                 float* scratch) {
  const Index ldv = s.ldv();
  float* zt = scratch;             // [D, ldv]
  float* gram = zt + s.dim * ldv;  // [ldv, ldv], the lower triangle in tiles
  for (Index i = 0; i < s.dim * ldv; ++i) zt[i] = 0.0f;
  for (Index row = 0; row < rows; ++row) {
    transpose(s, bottom + row * s.dim, pooled + row * s.pooled_width, zt);
    for (Index i = 0; i < s.vectors; i += tile_rows)
      for (Index j = 0; j < i + tile_rows; j += tile_columns)
        tile_product(s.dim, zt + i, ldv, zt + j, ldv, gram + i * ldv + j, ldv);
    float* to = out + row * s.width;
    float* const end = to + s.width;
    for (Index d = 0; d < s.dim; ++d) to[d] = bottom[row * s.dim + d];
    to += s.dim;
    for (Index i = 0; i < s.vectors; ++i) {
      const Index n = i + s.diagonal;
      const float* from = gram + i * ldv;
      if (to + round_up(n, tile_columns) <= end) {  // whole tiles; the next row overwrites what is too much
        for (Index j = 0; j < n; j += tile_columns)
          for (Index k = 0; k < tile_columns; ++k) to[j + k] = from[j + k];
      } else {
        for (Index j = 0; j < n; ++j) to[j] = from[j];
      }
      to += n;
    }
  }
}

TESSEREC_KERNEL void dot_backward(const Dot& s, Index rows, const float* bottom, const float* pooled,
                                  const float* upstream, float* bottom_gradient, float* pooled_gradient,
                                  float* scratch) {
  const Index ldv = s.ldv(), ldd = s.ldd();
  float* g = scratch;               // [ldv, ldv], symmetric
  float* z = g + ldv * ldv;         // [V, ldd]
  float* dz = z + s.vectors * ldd;  // [ldv, ldd]
  for (Index i = 0; i < ldv * ldv + s.vectors * ldd; ++i) scratch[i] = 0.0f;
  for (Index row = 0; row < rows; ++row) {
    const float* up = upstream + row * s.width;
    const float* pair = up + s.dim;
    for (Index i = 0; i < s.vectors; ++i) {
      for (Index j = 0; j < i; ++j) g[i * ldv + j] = pair[j];
      for (Index j = 0; j < i; ++j) g[j * ldv + i] = pair[j];
      if (s.diagonal) g[i * ldv + i] = 2.0f * pair[i];
      pair += i + s.diagonal;
    }
    for (Index d = 0; d < s.dim; ++d) z[d] = bottom[row * s.dim + d];
    for (Index v = 1; v < s.vectors; ++v)
      for (Index d = 0; d < s.dim; ++d) z[v * ldd + d] = pooled[row * s.pooled_width + (v - 1) * s.dim + d];
    for (Index i = 0; i < s.vectors; i += tile_rows)
      for (Index d = 0; d < s.dim; d += tile_columns)
        tile_product(s.vectors, g + i, ldv, z + d, ldd, dz + i * ldd + d, ldd);
    for (Index d = 0; d < s.dim; ++d) bottom_gradient[row * s.dim + d] = dz[d] + up[d];
    for (Index v = 1; v < s.vectors; ++v)
      for (Index d = 0; d < s.dim; ++d) pooled_gradient[row * s.pooled_width + (v - 1) * s.dim + d] = dz[v * ldd + d];
  }
}

}  // namespace

FeatureInteraction::FeatureInteraction(Interaction type, bool itself, Index bottom_dim, std::vector<Index> pooled_dims)
    : type_(type), itself_(itself), dim_(bottom_dim), vectors_(static_cast<Index>(pooled_dims.size()) + 1) {
  pooled_width_ = std::accumulate(pooled_dims.begin(), pooled_dims.end(), Index{0});
  assert(type == Interaction::cat ||
         std::all_of(pooled_dims.begin(), pooled_dims.end(), [&](Index d) { return d == bottom_dim; }));
  const Index pairs = vectors_ * (vectors_ - 1) / 2 + (itself ? vectors_ : 0);
  width_ = dim_ + (type == Interaction::dot ? pairs : pooled_width_);
}

double FeatureInteraction::flops() const {
  return type_ == Interaction::dot ? 2.0 * static_cast<double>((width_ - dim_) * dim_) : 0.0;
}

Index FeatureInteraction::scratch() const {
  if (type_ == Interaction::cat) return 0;
  const Dot s{vectors_, dim_, itself_, width_, pooled_width_};
  return s.ldv() * s.ldv() + s.ldv() * s.dim + (s.vectors + s.ldv()) * s.ldd();
}

void FeatureInteraction::forward(Index rows, const float* bottom, const float* pooled, float* out,
                                 float* scratch) const {
  if (type_ == Interaction::dot)
    return dot_forward({vectors_, dim_, itself_, width_, pooled_width_}, rows, bottom, pooled, out, scratch);
  for (Index row = 0; row < rows; ++row) {
    std::copy_n(bottom + row * dim_, dim_, out + row * width_);
    std::copy_n(pooled + row * pooled_width_, pooled_width_, out + row * width_ + dim_);
  }
}

void FeatureInteraction::backward(Index rows, const float* bottom, const float* pooled, const float* upstream,
                                  float* bottom_gradient, float* pooled_gradient, float* scratch) const {
  if (type_ == Interaction::dot)
    return dot_backward({vectors_, dim_, itself_, width_, pooled_width_}, rows, bottom, pooled, upstream,
                        bottom_gradient, pooled_gradient, scratch);
  for (Index row = 0; row < rows; ++row) {
    std::copy_n(upstream + row * width_, dim_, bottom_gradient + row * dim_);
    std::copy_n(upstream + row * width_ + dim_, pooled_width_, pooled_gradient + row * pooled_width_);
  }
}

}  // namespace tesserec::dense
