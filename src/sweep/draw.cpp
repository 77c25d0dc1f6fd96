// SPDX-License-Identifier: Apache-2.0
#include "draw.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::sweep {
namespace {

constexpr std::array<std::uint32_t, most_halton_keys> primes = {2,  3,  5,  7,   11,  13,  17,  19,  23,  29, 31,
                                                                37, 41, 43, 47,  53,  59,  61,  67,  71,  73, 79,
                                                                83, 89, 97, 101, 103, 107, 109, 113, 127, 131};
constexpr Index permutations = Index{1} << 32;  // the first of their streams, behind those of random_number

/// Where `digit` goes in the random order (Fisher, Yates) of 0 ... base - 1 at a place behind the point.
std::uint32_t permuted(const Random& random, Index place, std::uint32_t base, std::uint32_t digit) {
  std::array<std::uint32_t, primes.back()> order;
  std::iota(order.begin(), order.begin() + base, 0u);
  for (std::uint32_t i = base - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1, place, i)]);
  return order[digit];
}

}  // namespace

double random_number(std::uint64_t seed, Index row, std::size_t dimension) {
  return Random(seed, Purpose::sweep_points, dimension).uniform53(row, 0);
}

double halton_number(std::uint64_t seed, Index row, std::size_t dimension) {
  const Random random(seed, Purpose::sweep_points, permutations + dimension);
  const std::uint32_t base = primes[dimension];
  std::uint64_t digits = 0, one = 1;  // whole numbers, so that only the quotient rounds
  for (Index place = 0; one < std::uint64_t{1} << 40; ++place, row /= base) {
    digits = digits * base + permuted(random, place, base, row % base);
    one *= base;
  }
  return double(digits) / double(one);
}

std::string value_at(const Key& key, double u) {
  if (!key.values.empty()) return key.values[std::size_t(u * double(key.values.size()))];
  const double top = key.integer ? key.max + 1 : key.max;
  const double low = key.log ? elementary::log(key.min) : key.min;
  const double high = key.log ? elementary::log(top) : top;
  const double drawn = low + u * (high - low), value = key.log ? elementary::exp(drawn) : drawn;
  const double rounded = key.integer ? std::floor(value) : *parse_number<double>(significant(value, 4));
  const double inside = std::clamp(rounded, key.min, key.max);
  return key.integer ? std::to_string(Index(inside)) : shortest(inside);
}

}  // namespace tesserec::sweep
