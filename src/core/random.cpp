// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "philox.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/mixed_bits.hpp>
#include <tesserec/core/random.hpp>

namespace tesserec {
namespace {

bool has_avx2() {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

TESSEREC_KERNEL void uniform_floats(const std::uint32_t* words, Index count, float bound, float* out) {
  for (Index i = 0; i < count; ++i) out[i] = philox::uniform(words[i], bound);
}

/// Fills one row as Random::fill_rows does, `quad` being its first one.
void fill_row(const Random& random, Index row, Index quad, Index dim, float bound, float* out) {
  constexpr Index at_once = 4 * philox::rows_at_once;
  Index rows[at_once], quads[at_once];
  std::uint32_t words[4 * at_once];
  std::fill_n(rows, at_once, row);
  for (Index c = 0; c < dim; c += 4 * at_once) {
    const Index count = std::min(at_once, (dim - c + 3) / 4);
    for (Index i = 0; i < count; ++i) quads[i] = quad + c / 4 + i;
    random.quads({rows, std::size_t(count)}, {quads, std::size_t(count)}, words);
    uniform_floats(words, std::min(dim - c, 4 * count), bound, out + c);
  }
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> k) {
  std::uint32_t words[4] = {c[0], c[1], c[2], c[3]};
  philox::ten_rounds(k[0], k[1], words);
  return {words[0], words[1], words[2], words[3]};
}

TESSEREC_KERNEL void box_muller(const std::uint32_t* bits, Index pairs, float* normal) {
  for (Index i = 0; i < pairs; ++i) {
    const double u = (double(bits[2 * i]) + 1.0) * 0x1p-32;  // u is in (0, 1], so that its logarithm is finite.
    const double angle = 6.283185307179586476925 * double(bits[2 * i + 1]) * 0x1p-32;
    const double radius = std::sqrt(-2.0 * elementary::log(u));
    normal[2 * i] = radius * elementary::cos(angle);
    normal[2 * i + 1] = radius * elementary::sin(angle);
  }
}

Random::Random(std::uint64_t seed, Purpose purpose, std::uint64_t stream) {
  const std::uint64_t key = mixed_bits(mixed_bits(mixed_bits(seed) ^ std::uint64_t(purpose)) ^ stream);
  key_ = {std::uint32_t(key), std::uint32_t(key >> 32)};
}

std::array<std::uint32_t, 4> Random::quad(Index row, Index quad) const {
  const std::uint64_t r = row;
  return philox4x32({std::uint32_t(r), std::uint32_t(r >> 32), std::uint32_t(quad), 0}, key_);
}

void Random::quads(std::span<const Index> rows, std::span<const Index> quads, std::uint32_t* out) const {
  assert(rows.size() == quads.size());
  const philox::Counters counters{key_[0], key_[1], rows.data(), quads.data(), std::ssize(rows)};
  has_avx2() ? philox::quads_avx2(counters, out) : philox::quads_plain(counters, out);
}

void Random::fill_rows(Range rows, Range columns, float bound, float* out) const {
  auto* const fill = has_avx2() ? &philox::fill_avx2 : &philox::fill_plain;
  assert(columns.begin % 4 == 0);
  const Index dim = columns.size();
  philox::Draw draw{key_[0], key_[1], 0, std::uint64_t(columns.begin / 4), dim, bound};
  Index row = rows.begin;
  const auto next = [&](float* to) {
    draw.row = row;
    fill(draw, to);
  };
  for (; row + philox::rows_at_once <= rows.end; row += philox::rows_at_once, out += philox::rows_at_once * dim)
    next(out);
  if (row == rows.end) return;
  // The quads of one row are a vector's, too: of few rows with many columns they are fewer than those of all rows.
  const Index quads = (dim + 3) / 4, vectors = (quads + philox::rows_at_once - 1) / philox::rows_at_once;
  if ((rows.end - row) * vectors < quads) {
    for (; row < rows.end; ++row, out += dim) fill_row(*this, row, columns.begin / 4, dim, bound, out);
    return;
  }
  std::vector<float> last(philox::rows_at_once * dim);
  next(last.data());
  std::copy_n(last.data(), (rows.end - row) * dim, out);
}

double Random::uniform53(Index row, Index column) const {
  const auto q = quad(row, column / 2);
  const int i = column % 2 * 2;
  const std::uint64_t bits = (std::uint64_t{q[i]} << 32 | q[i + 1]) >> 11;
  return double(bits) * 0x1p-53;
}

float Random::normal(Index row, Index column) const {
  const auto q = quad(row, column / 2);
  float normal[2];
  box_muller(&q[column % 2 * 2], 1, normal);
  return normal[0];
}

std::uint64_t Random::below(std::uint64_t bound, Index row, Index column) const {
  const auto q = quad(row, column / 2);
  const int i = column % 2 * 2;
  const std::uint64_t bits = std::uint64_t{q[i]} << 32 | q[i + 1];
  return std::uint64_t((static_cast<unsigned __int128>(bits) * bound) >> 64);
}

}  // namespace tesserec
