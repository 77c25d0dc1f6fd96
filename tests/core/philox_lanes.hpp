// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

// Functions that return long vectors are inline always. GCC warns of them at the end of the file.
#pragma GCC diagnostic ignored "-Wpsabi"
#include "src/core/philox_vectors.hpp"

/// Lanes for philox::Generator without their instructions, for processors that lack these.
template <class Lanes>
struct PhiloxLanes;
template <std::uint64_t... lane>
struct PhiloxLanes<std::integer_sequence<std::uint64_t, lane...>> {
  static constexpr int lanes = sizeof...(lane), vectors = 2;
  using Words = tesserec::philox::CounterVectors<lanes>::Words;
  using Floats = tesserec::philox::CounterVectors<lanes>::Floats;
  static constexpr Words even{(lane % 2 == 0 ? lane : lanes + lane - 1)...};
  static constexpr Words odd{(lane % 2 == 0 ? lane + 1 : lanes + lane)...};

  [[gnu::always_inline]] static Words multiply(const Words& a, std::uint32_t b) { return (a & 0xffffffff) * b; }
  [[gnu::always_inline]] static Floats fused(const Floats& a, const Floats& b, const Floats& c) {
    Floats result;
    for (int i = 0; i < 2 * lanes; ++i) result[i] = std::fma(a[i], b[i], c[i]);
    return result;
  }
};
