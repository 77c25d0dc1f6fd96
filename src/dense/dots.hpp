// SPDX-License-Identifier: Apache-2.0
/// The dot interaction and its gradient, one sample in each element of a vector register: the numbers of so many
/// samples are transposed to [column][sample], every product is one fma, and half of the square of pairs is left out.
#pragma once

#include "tiles.hpp"

namespace tesserec::dense {
namespace {  // an object for each instruction set

template <class V>
class Dots {
  using Register = typename V::Register;
  static constexpr Index floats = V::floats;
  /// Numbers of each vector that are transposed at once: so much of all vectors stays in the first cache.
  static constexpr Index block = 16, vector = block * floats;
  static constexpr Index tile_rows = 4, tile_columns = 3;          // of pairs
  static constexpr Index gradient_rows = 3, gradient_columns = 4;  // of gradients: vectors and their numbers
  static constexpr Index spare = 4;                                // more than a last tile has beyond the last

  /// Where row i of the pairs begins.
  static Index row(const DotShape& s, Index i) { return i * (i - 1) / 2 + (s.itself ? i : 0); }

  struct Scratch {
    Scratch(const DotShape& s, float* begin)
        : z(begin),
          pairs(z + (s.vectors + spare) * block * floats),
          square(pairs + row(s, s.vectors + spare) * floats),
          dz(square + (s.vectors + spare) * s.vectors * floats),
          end(dz + s.vectors * block * floats) {}
    float* z;       ///< [vectors][block][floats]
    float* pairs;   ///< [pair][floats]
    float* square;  ///< [vectors][vectors][floats]: the upstream of each pair, twice that of a vector with itself
    float* dz;      ///< as z
    float* end;
  };

  /// to[c][sample] = from[sample][c]; 0 for samples that are not there.
  static void turn(Index samples, Index columns, const float* from, Index stride, float* to) {
    Index c = 0;
    if (samples == floats)
      for (; c + floats <= columns; c += floats) {
        Register square[floats];
#pragma GCC unroll 16
        for (Index i = 0; i < floats; ++i) square[i] = V::load(from + i * stride + c);
        V::transpose(square);
#pragma GCC unroll 16
        for (Index i = 0; i < floats; ++i) V::store(to + (c + i) * floats, square[i]);
      }
    for (; c < columns; ++c)
      for (Index i = 0; i < floats; ++i) to[c * floats + i] = i < samples ? from[i * stride + c] : 0.0f;
  }
  static void turn_back(Index samples, Index columns, const float* from, float* to, Index stride) {
    Index c = 0;
    if (samples == floats)
      for (; c + floats <= columns; c += floats) {
        Register square[floats];
#pragma GCC unroll 16
        for (Index i = 0; i < floats; ++i) square[i] = V::load(from + (c + i) * floats);
        V::transpose(square);
#pragma GCC unroll 16
        for (Index i = 0; i < floats; ++i) V::store(to + i * stride + c, square[i]);
      }
    for (; c < columns; ++c)
      for (Index i = 0; i < samples; ++i) to[i * stride + c] = from[c * floats + i];
  }

  /// Registers side by side, and the same again at every depth: strides in floats.
  struct Operand {
    const float* at;
    Index next, deeper;
  };
  /// sum[r][c] += a[r] * b[c] at each depth in order.
  template <Index R, Index C>
  static TESSEREC_INLINE void accumulate(Index depth, Operand a, Operand b, Register (&sum)[R][C]) {
    for (Index k = 0; k < depth; ++k, a.at += a.deeper, b.at += b.deeper) {
      Register column[C];
#pragma GCC unroll 4
      for (Index c = 0; c < C; ++c) column[c] = V::load(b.at + c * b.next);
#pragma GCC unroll 4
      for (Index r = 0; r < R; ++r) {
        const Register row = V::load(a.at + r * a.next);
#pragma GCC unroll 4
        for (Index c = 0; c < C; ++c) sum[r][c] = V::fma(row, column[c], sum[r][c]);
      }
    }
  }

  /// The pairs of vectors [i, i + tile_rows) with [j, j + tile_columns), over so many numbers, the first or others.
  static void pairs_tile(const DotShape& s, const Scratch& at, Index i, Index j, Index numbers, bool first) {
    Register sum[tile_rows][tile_columns];
    float* out[tile_rows];
#pragma GCC unroll 4
    for (Index r = 0; r < tile_rows; ++r) {
      out[r] = at.pairs + (row(s, i + r) + j) * floats;
#pragma GCC unroll 4
      for (Index c = 0; c < tile_columns; ++c) sum[r][c] = first ? V::zero() : V::load(out[r] + c * floats);
    }
    accumulate(numbers, {at.z + i * vector, vector, floats}, {at.z + j * vector, vector, floats}, sum);
#pragma GCC unroll 4
    for (Index r = 0; r < tile_rows; ++r)
#pragma GCC unroll 4
      for (Index c = 0; c < tile_columns; ++c)
        if (i + r < s.vectors && j + c < i + r + (s.itself ? 1 : 0)) V::store(out[r] + c * floats, sum[r][c]);
  }

  /// Numbers [d, d + gradient_columns) of the gradients of vectors [i, i + gradient_rows): over all vectors in order.
  static void gradient_tile(const DotShape& s, const Scratch& at, Index i, Index d) {
    Register sum[gradient_rows][gradient_columns];
#pragma GCC unroll 4
    for (Index r = 0; r < gradient_rows; ++r)
#pragma GCC unroll 4
      for (Index c = 0; c < gradient_columns; ++c) sum[r][c] = V::zero();
    accumulate(s.vectors, {at.square + i * s.vectors * floats, s.vectors * floats, floats},
               {at.z + d * floats, floats, vector}, sum);
#pragma GCC unroll 4
    for (Index r = 0; r < gradient_rows; ++r)
#pragma GCC unroll 4
      for (Index c = 0; c < gradient_columns; ++c)
        if (i + r < s.vectors) V::store(at.dz + ((i + r) * block + d + c) * floats, sum[r][c]);
  }

  /// Numbers [d, d + numbers) of all vectors.
  static void read_vectors(const DotShape& s, Index samples, Index d, Index numbers, const float* bottom,
                           const float* pooled, float* z) {
    turn(samples, numbers, bottom + d, s.dim, z);
    for (Index i = 1; i < s.vectors; ++i)
      turn(samples, numbers, pooled + (i - 1) * s.dim + d, (s.vectors - 1) * s.dim, z + i * vector);
  }
  static void write_gradients(const DotShape& s, Index samples, Index d, Index numbers, const float* dz, float* bottom,
                              float* pooled) {
    turn_back(samples, numbers, dz, bottom + d, s.dim);
    for (Index i = 1; i < s.vectors; ++i)
      turn_back(samples, numbers, dz + i * vector, pooled + (i - 1) * s.dim + d, (s.vectors - 1) * s.dim);
  }

  static void read_upstream(const DotShape& s, Index samples, const float* upstream, const Scratch& at) {
    const Index pairs = row(s, s.vectors);
    turn(samples, pairs, upstream, s.dim + pairs, at.pairs);
    const float* from = at.pairs;
    for (Index i = 0; i < s.vectors; ++i) {
      for (Index j = 0; j < i; ++j, from += floats) {
        const Register g = V::load(from);
        V::store(at.square + (i * s.vectors + j) * floats, g);
        V::store(at.square + (j * s.vectors + i) * floats, g);
      }
      const Register own = s.itself ? V::load(from) : V::zero();
      V::store(at.square + (i * s.vectors + i) * floats, V::add(own, own));
      if (s.itself) from += floats;
    }
  }

  static void clear(const Scratch& at, float* begin) {
    for (; begin != at.end; begin += floats) V::store(begin, V::zero());
  }

 public:
  static Index scratch(const DotShape& s) {
    float* none = nullptr;
    return Scratch(s, none).end - none;
  }

  static void forward(const DotShape& s, Index rows, const float* bottom, const float* pooled, float* out,
                      float* scratch) {
    const Scratch at(s, scratch);
    clear(at, scratch);  // what lies beyond the last is read, not used
    const Index pairs = row(s, s.vectors), width = s.dim + pairs, pooled_width = (s.vectors - 1) * s.dim;
    for (Index first = 0; first < rows; first += floats) {
      const Index samples = rows - first < floats ? rows - first : floats;
      for (Index d = 0; d < s.dim; d += block) {
        const Index numbers = s.dim - d < block ? s.dim - d : block;
        read_vectors(s, samples, d, numbers, bottom + first * s.dim, pooled + first * pooled_width, at.z);
        for (Index i = 0; i < s.vectors; i += tile_rows)
          for (Index j = 0; j < i + tile_rows && j < s.vectors; j += tile_columns)
            pairs_tile(s, at, i, j, numbers, d == 0);
      }
      for (Index r = first; r < first + samples; ++r)
        for (Index d = 0; d < s.dim; ++d) out[r * width + d] = bottom[r * s.dim + d];
      turn_back(samples, pairs, at.pairs, out + first * width + s.dim, width);
    }
  }

  static void backward(const DotShape& s, Index rows, const float* bottom, const float* pooled, const float* upstream,
                       float* bottom_gradient, float* pooled_gradient, float* scratch) {
    const Scratch at(s, scratch);
    clear(at, scratch);
    const Index width = s.dim + row(s, s.vectors), pooled_width = (s.vectors - 1) * s.dim;
    for (Index first = 0; first < rows; first += floats) {
      const Index samples = rows - first < floats ? rows - first : floats;
      read_upstream(s, samples, upstream + first * width + s.dim, at);
      for (Index d = 0; d < s.dim; d += block) {
        const Index numbers = s.dim - d < block ? s.dim - d : block;
        read_vectors(s, samples, d, numbers, bottom + first * s.dim, pooled + first * pooled_width, at.z);
        for (Index c = 0; c < numbers; c += gradient_columns)
          for (Index i = 0; i < s.vectors; i += gradient_rows) gradient_tile(s, at, i, c);
        write_gradients(s, samples, d, numbers, at.dz, bottom_gradient + first * s.dim,
                        pooled_gradient + first * pooled_width);
      }
      for (Index r = first; r < first + samples; ++r)
        for (Index d = 0; d < s.dim; ++d) bottom_gradient[r * s.dim + d] += upstream[r * width + d];
    }
  }
};

}  // namespace
}  // namespace tesserec::dense
