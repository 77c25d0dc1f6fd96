// SPDX-License-Identifier: Apache-2.0
/// Constants of elementary.hpp in each precision. Its polynomials are in elementary_polynomials.hpp.
#pragma once

#include <cstdint>
#include <limits>

namespace tesserec::elementary {

template <class T>
struct Numbers;

template <>
struct Numbers<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction_bits = 52, bias = 1023;
  static constexpr double shift = 0x1.8p52;      // x + shift - shift is x to the next integer, ties to even
  static constexpr double integers = 0x1p52;     // its low bits are a counter
  static constexpr double smallest = 0x1p-1022;  // the smallest normal number
  static constexpr double tiny = 0x1p-54;        // below this, expm1(x) is x
  static constexpr double raise = 0x1p54;
  static constexpr int raised = 54;
  static constexpr double exp_min = -746, exp_max = 710;                // results are 0 below, inf above
  static constexpr double expm1_min = -38, tanh_max = 20, erf_max = 6;  // arguments of results -1, 1, 1
  static constexpr double max_angle = 0x1p20;

  static constexpr double infinity = std::numeric_limits<double>::infinity(),
                          nan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double ln2 = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;  // 42 bits, so that k ln2 is exact
  static constexpr double per_ln2 = 0x1.71547652b82fep+0;
  static constexpr double half_pi = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54,
                          half_pi_last = -0x1.f1976b7ed8fbcp-110, per_half_pi = 0x1.45f306dc9c883p-1;
  static constexpr double root_half = 0x1.6a09e667f3bcdp-1;
};

template <>
struct Numbers<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction_bits = 23, bias = 127;
  static constexpr float shift = 0x1.8p23f, integers = 0x1p23f, smallest = 0x1p-126f, tiny = 0x1p-25f;
  static constexpr float raise = 0x1p25f;
  static constexpr int raised = 25;
  static constexpr float exp_min = -104, exp_max = 89;
  static constexpr float expm1_min = -18, tanh_max = 10, erf_max = 4;
  static constexpr float max_angle = 0x1p13f;

  static constexpr float infinity = std::numeric_limits<float>::infinity(),
                         nan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float ln2 = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;  // 15 bits
  static constexpr float per_ln2 = 0x1.715476p+0f;
  static constexpr float half_pi = 0x1.921fb6p+0f, half_pi_low = -0x1.777a5cp-25f, half_pi_last = -0x1.ee59dap-50f,
                         per_half_pi = 0x1.45f306p-1f;
  static constexpr float root_half = 0x1.6a09e6p-1f;
};

}  // namespace tesserec::elementary
