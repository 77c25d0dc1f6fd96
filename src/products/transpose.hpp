// SPDX-License-Identifier: Apache-2.0
/// Transposition of a square of floats in vector registers.
#pragma once

#include <utility>

#include "tiles.hpp"

namespace tesserec::products {
namespace {

/// Exchanges columns c + step of a with columns c of b, for all c without bit `step`.
template <int n, int step, class Register, int... c>
TESSEREC_INLINE void exchange(Register& a, Register& b, std::integer_sequence<int, c...>) {
  const Register left = __builtin_shufflevector(a, b, ((c & step) != 0 ? n + c - step : c)...);
  b = __builtin_shufflevector(a, b, ((c & step) != 0 ? n + c : c + step)...);
  a = left;
}

/// Transposes n registers of n floats: exchanges blocks of n/2 columns, then n/4, ...
template <int n, class Register, int step = n / 2>
TESSEREC_INLINE void transpose(Register (&rows)[n]) {
#pragma GCC unroll 16
  for (int r = 0; r < n; ++r)
    if ((r & step) == 0) exchange<n, step>(rows[r], rows[r + step], std::make_integer_sequence<int, n>());
  if constexpr (step > 1) transpose<n, Register, step / 2>(rows);
}

}  // namespace
}  // namespace tesserec::products
