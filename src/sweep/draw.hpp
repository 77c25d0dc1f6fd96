// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/sweep/settings.hpp>

namespace tesserec::sweep {

/// Keys that a Halton sequence can have: each takes a prime of its own.
inline constexpr std::size_t most_halton_keys = 32;

/// Uniform in [0, 1): number `row` of key `dimension`, a function of (seed, row, dimension) alone.
double random_number(std::uint64_t seed, Index row, std::size_t dimension);

/// The same by Halton's sequence (Halton 1960): the digits of `row` in the dimension's prime base, mirrored at the
/// point. Digits pass a random permutation each (Owen, "A randomized Halton algorithm in R", 2017), which breaks the
/// lines that large bases draw.
double halton_number(std::uint64_t seed, Index row, std::size_t dimension);

/// The key's value at u in [0, 1), as TOML: one of its values, or of its range with four digits.
std::string value_at(const Key& key, double u);

}  // namespace tesserec::sweep
