// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>

#include "philox.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/mixed_bits.hpp>
#include <tesserec/core/random.hpp>

namespace tesserec {
namespace {

/// Code for one instruction set.
struct PhiloxCode {
  void (*fill)(const philox::Draw&);
  void (*quads)(const philox::Counters&, std::uint32_t*);
};

PhiloxCode fastest_code() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f")) return {philox::fill_avx512, philox::quads_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {philox::fill_avx2, philox::quads_avx2};
#endif
  return {philox::fill_plain, philox::quads_plain};
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
  fastest_code().quads(
      {.key0 = key_[0], .key1 = key_[1], .rows = rows.data(), .quads = quads.data(), .count = std::ssize(rows)}, out);
}

void Random::fill_rows(std::span<const DrawnRow> rows, Range columns, float bound) const {
  assert(columns.begin % 4 == 0);
  fastest_code().fill({.key0 = key_[0],
                       .key1 = key_[1],
                       .rows = rows.data(),
                       .count = std::ssize(rows),
                       .quad = std::uint64_t(columns.begin / 4),
                       .columns = columns.size(),
                       .bound = bound});
}

void Random::fill_rows(Range rows, Range columns, float bound, float* out) const {
  constexpr Index at_once = 64;
  DrawnRow drawn[at_once];
  while (rows.size() > 0) {
    const Index count = std::min(rows.size(), at_once);
    for (Index i = 0; i < count; ++i) drawn[i] = {rows.begin + i, out + i * columns.size()};
    fill_rows({drawn, std::size_t(count)}, columns, bound);
    rows.begin += count;
    out += count * columns.size();
  }
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
