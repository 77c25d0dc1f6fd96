// SPDX-License-Identifier: Apache-2.0
/// Dot interaction and its gradient, with one sample in each element of a vector register. The values of a register's
/// samples are transposed to [column][sample], and each product is one fma. Of the square of pairs only the lower
/// triangle is computed.
#pragma once

#include <type_traits>

#include "tiles.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

template <class V>
class Dots {
  using Register = typename V::Register;
  static constexpr Index floats = V::floats;
  /// Columns of each vector that are transposed at once, few enough that the blocks of all vectors stay in L1.
  static constexpr Index block = 16, vector = block * floats;
  static constexpr Index tile_rows = 4, tile_columns = V::rows / 2;  // pairs; as many sums as a product's tile
  enum class Coverage { whole, below_diagonal, with_diagonal };      // pairs of a tile to compute

  /// Returns the index of the first pair in row i.
  static Index row(const DotShape& s, Index i) { return i * (i - 1) / 2 + (s.itself ? i : 0); }
  static Index least(Index a, Index b) { return a < b ? a : b; }

  struct Scratch {
    Scratch(const DotShape& s, float* begin)
        : z(begin), pairs(z + s.vectors * vector), end(pairs + row(s, s.vectors) * floats) {}
    float* z;      ///< [vectors][block][floats]
    float* pairs;  ///< [pair][floats]: sums, or their upstream gradients
    float* end;
  };

  /// Calls work(n) with n, 1 to `limit`, as a compile-time constant.
  template <Index limit, class Work>
  static TESSEREC_INLINE void with_constant(Index n, const Work& work) {
    if constexpr (limit > 1)
      if (n < limit) return with_constant<limit - 1>(n, work);
    work(std::integral_constant<Index, limit>());
  }
  /// Calls work(c) for squares [c, c + floats) that cover [0, columns), columns >= floats. The last two may overlap.
  template <class Work>
  static TESSEREC_INLINE void squares(Index columns, const Work& work) {
    Index c = 0;
    for (; c + floats <= columns; c += floats) work(c);
    if (c < columns) work(columns - floats);
  }

  /// Computes to[c][r] = from[r][c] of a square. Reads the last of `from_rows` rows for absent ones, and writes
  /// `to_rows` rows.
  static TESSEREC_INLINE void transpose_square(const float* from, Index from_stride, Index from_rows, float* to,
                                               Index to_stride, Index to_rows) {
    Register square[floats];
#pragma GCC unroll 16
    for (Index i = 0; i < floats; ++i) square[i] = V::load(from + least(i, from_rows - 1) * from_stride);
    V::transpose(square);
#pragma GCC unroll 16
    for (Index i = 0; i < floats; ++i)
      if (i < to_rows) V::store(to + i * to_stride, square[i]);
  }
  /// Computes to[c][sample] = from[sample][c]. A square's absent samples get the last one's numbers, or 0 where columns
  /// are absent, too.
  static void transpose_block(Index samples, Index columns, const float* from, Index stride, float* to) {
    if (columns >= floats)
      return squares(columns,
                     [&](Index c) { transpose_square(from + c, stride, samples, to + c * floats, floats, floats); });
    for (Index c = 0; c < columns || c < floats; ++c)
      for (Index i = 0; i < floats; ++i) to[c * floats + i] = i < samples && c < columns ? from[i * stride + c] : 0.0f;
  }

  /// Adds `numbers` columns to the pairs of vectors [i, i + R) with [j, j + C). With `first` the sums start at 0.
  template <Index R, Index C, Coverage coverage>
  static __attribute__((noinline)) void pairs_tile(const DotShape& s, const Scratch& at, Index i, Index j,
                                                   Index numbers, bool first) {
    const auto is_pair = [](Index r, Index c) {
      return coverage == Coverage::whole || c < r || (coverage == Coverage::with_diagonal && c == r);
    };
    Register sum[R][C];
    float* out[R];
#pragma GCC unroll 6
    for (Index r = 0; r < R; ++r) {
      out[r] = at.pairs + (row(s, i + r) + j) * floats;
#pragma GCC unroll 6
      for (Index c = 0; c < C; ++c)
        if (is_pair(r, c)) sum[r][c] = first ? V::zero() : V::load(out[r] + c * floats);
    }
    const float *a = at.z + i * vector, *b = at.z + j * vector;
    for (Index k = 0; k < numbers; ++k, a += floats, b += floats) {
      Register column[C];
#pragma GCC unroll 6
      for (Index c = 0; c < C; ++c) column[c] = V::load(b + c * vector);
#pragma GCC unroll 6
      for (Index r = 0; r < R; ++r) {
        const Register row = V::load(a + r * vector);
#pragma GCC unroll 6
        for (Index c = 0; c < C; ++c)
          if (is_pair(r, c)) sum[r][c] = V::fma(row, column[c], sum[r][c]);
      }
    }
#pragma GCC unroll 6
    for (Index r = 0; r < R; ++r)
#pragma GCC unroll 6
      for (Index c = 0; c < C; ++c)
        if (is_pair(r, c)) V::store(out[r] + c * floats, sum[r][c]);
  }

  /// Adds `numbers` columns to all pairs of vectors [i, i + R) with the vectors before them and with each other.
  template <Index R>
  static TESSEREC_INLINE void pairs_rows(const DotShape& s, const Scratch& at, Index i, Index numbers, bool first) {
    for (Index j = 0; j < i; j += tile_columns)
      with_constant<tile_columns>(least(tile_columns, i - j), [&](auto columns) {
        pairs_tile<R, columns, Coverage::whole>(s, at, i, j, numbers, first);
      });
    if (s.itself)
      pairs_tile<R, R, Coverage::with_diagonal>(s, at, i, i, numbers, first);
    else
      pairs_tile<R, R, Coverage::below_diagonal>(s, at, i, i, numbers, first);
  }

  /// Writes out[sample][c] = pairs[c][sample] for c in [begin, end), in whole squares. A remainder is written only at
  /// the last pair. Returns the first c of the next call.
  static Index write_pairs(Index samples, Index begin, Index end, Index pair_count, const float* pairs, float* out,
                           Index stride) {
    if (pair_count >= floats) {
      const auto write = [&](Index first) {
        transpose_square(pairs + first * floats, floats, floats, out + first, stride, samples);
      };
      for (; begin + floats <= end; begin += floats) write(begin);
      if (begin < end && end == pair_count) write(pair_count - floats);
    } else {
      for (; begin < end; ++begin)
        for (Index i = 0; i < samples; ++i) out[i * stride + begin] = pairs[begin * floats + i];
    }
    return begin;
  }

  /// Computes the gradient of vector i's columns [d, d + floats), one fma per vector in order.
  static TESSEREC_INLINE void gradient(const DotShape& s, const Scratch& at, Index i, Index d,
                                       Register (&sum)[floats]) {
#pragma GCC unroll 16
    for (Index c = 0; c < floats; ++c) sum[c] = V::zero();
    const float* z = at.z + d * floats;
    const auto add = [&](Register upstream) __attribute__((always_inline)) {
#pragma GCC unroll 16
      for (Index c = 0; c < floats; ++c) sum[c] = V::fma(upstream, V::load(z + c * floats), sum[c]);
      z += vector;
    };
    const float* pair = at.pairs + row(s, i) * floats;
    for (Index j = 0; j < i; ++j, pair += floats) add(V::load(pair));
    const Register own = s.itself ? V::load(pair) : V::zero();
    add(V::add(own, own));
    for (Index j = i + 1; j < s.vectors; ++j) add(V::load(at.pairs + (row(s, j) + i) * floats));
  }

  static TESSEREC_INLINE void write_gradient(Index samples, Index numbers, Register (&sum)[floats], float* to,
                                             Index stride) {
    V::transpose(sum);
    if (samples == floats && numbers >= floats) {
#pragma GCC unroll 16
      for (Index i = 0; i < floats; ++i) V::store(to + i * stride, sum[i]);
      return;
    }
    float square[floats * floats];
#pragma GCC unroll 16
    for (Index i = 0; i < floats; ++i) V::store(square + i * floats, sum[i]);
    copy_corner(samples, least(numbers, floats), square, to, stride);
  }
  static __attribute__((noinline)) void copy_corner(Index samples, Index numbers, const float* square, float* to,
                                                    Index stride) {
    for (Index i = 0; i < samples; ++i)
      for (Index c = 0; c < numbers; ++c) to[i * stride + c] = square[i * floats + c];
  }

  /// Vectors, or their gradients, of the samples from `first` on.
  template <class Number>
  struct SampleVectors {
    SampleVectors(const DotShape& s, Index first, Number* bottom, Number* pooled)
        : dim(s.dim), others((s.vectors - 1) * s.dim), bottom(bottom + first * dim), pooled(pooled + first * others) {}
    Number* at(Index i) const { return i == 0 ? bottom : pooled + (i - 1) * dim; }
    Index stride(Index i) const { return i == 0 ? dim : others; }
    Index dim, others;
    Number *bottom, *pooled;
  };

 public:
  static Index scratch(const DotShape& s) {
    float* null = nullptr;
    return Scratch(s, null).end - null + floats * floats;
  }

  static void forward(const DotShape& s, Index rows, DotVectors<const float> inputs, float* out, float* scratch) {
    const Scratch at(s, scratch);
    const Index pairs = row(s, s.vectors), width = s.dim + pairs;
    for (Index first = 0; first < rows; first += floats) {
      const Index samples = least(floats, rows - first);
      const SampleVectors<const float> from(s, first, inputs.first, inputs.others);
      float* const to = out + first * width;
      for (Index d = 0, written = 0; d < s.dim; d += block) {
        const Index numbers = least(block, s.dim - d);
        for (Index i = 0; i < s.vectors; i += tile_rows) {
          const Index n = least(tile_rows, s.vectors - i);
          for (Index v = i; v < i + n; ++v)
            transpose_block(samples, numbers, from.at(v) + d, from.stride(v), at.z + v * vector);
          with_constant<tile_rows>(n, [&](auto known_rows) { pairs_rows<known_rows>(s, at, i, numbers, d == 0); });
          if (d + block >= s.dim)
            written = write_pairs(samples, written, row(s, i + n), pairs, at.pairs, to + s.dim, width);
        }
      }
      for (Index r = 0; r < samples; ++r)
        for (Index d = 0; d < s.dim; ++d) to[r * width + d] = from.bottom[r * s.dim + d];
    }
  }

  static void backward(const DotShape& s, Index rows, DotVectors<const float> inputs, const float* upstream,
                       DotVectors<float> gradients, float* scratch) {
    const Scratch at(s, scratch);
    const Index pairs = row(s, s.vectors), width = s.dim + pairs;
    for (Index first = 0; first < rows; first += floats) {
      const Index samples = least(floats, rows - first);
      const SampleVectors<const float> from(s, first, inputs.first, inputs.others);
      const SampleVectors<float> to(s, first, gradients.first, gradients.others);
      transpose_block(samples, pairs, upstream + first * width + s.dim, width, at.pairs);
      for (Index d = 0; d < s.dim; d += block) {
        const Index numbers = least(block, s.dim - d);
        for (Index i = 0; i < s.vectors; ++i)
          transpose_block(samples, numbers, from.at(i) + d, from.stride(i), at.z + i * vector);
        const auto of_numbers = [&](Index c) {
          for (Index i = 0; i < s.vectors; ++i) {
            Register sum[floats];
            gradient(s, at, i, c, sum);
            write_gradient(samples, numbers, sum, to.at(i) + d + c, to.stride(i));
          }
        };
        if (numbers < floats)
          of_numbers(0);
        else
          squares(numbers, of_numbers);
      }
      for (Index r = 0; r < samples; ++r)
        for (Index d = 0; d < s.dim; ++d) to.bottom[r * s.dim + d] += upstream[(first + r) * width + d];
    }
  }
};

}  // namespace
}  // namespace tesserec::products
