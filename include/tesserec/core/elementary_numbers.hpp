// SPDX-License-Identifier: Apache-2.0
/// The constants of elementary.hpp in each precision. The polynomials are minimax, by Remez exchanges in 50 digits,
/// each coefficient then rounded; a comment gives interval and error before rounding, relative to the function itself
/// unless it says otherwise.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <tesserec/core/kernel.hpp>

namespace tesserec::elementary {

/// c[0] + x * (c[1] + x * (c[2] + ...)), a chain of fma.
template <class T>
TESSEREC_FUNCTION T polynomial(T, T c0) {
  return c0;
}
template <class T, class... More>
TESSEREC_FUNCTION T polynomial(T x, T c0, T c1, More... more) {
  return std::fma(x, polynomial(x, c1, more...), c0);
}

template <class T>
struct Numbers;

template <>
struct Numbers<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction_bits = 52, bias = 1023;
  static constexpr double shift = 0x1.8p52;      // x + shift - shift is x to the next integer, ties to even
  static constexpr double integers = 0x1p52;     // its low bits are a counter
  static constexpr double smallest = 0x1p-1022;  // with all its bits
  static constexpr double tiny = 0x1p-54;        // below: expm1(x) is x
  static constexpr double raise = 0x1p54;
  static constexpr int raised = 54;
  static constexpr double exp_least = -746, exp_most = 710;                 // 0 below, inf above
  static constexpr double expm1_least = -38, tanh_most = 20, erf_most = 6;  // where they have reached -1, 1, 1
  static constexpr double most_angle = 0x1p20;

  static constexpr double infinity = std::numeric_limits<double>::infinity(),
                          nan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double ln2 = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;  // 42 bits, so that k ln2 is exact
  static constexpr double per_ln2 = 0x1.71547652b82fep+0;
  static constexpr double half_pi = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54,
                          half_pi_last = -0x1.f1976b7ed8fbcp-110, per_half_pi = 0x1.45f306dc9c883p-1;
  static constexpr double root_half = 0x1.6a09e667f3bcdp-1;
  static constexpr double erf_slope = 0x1.06eba8214db69p-3;  // 2 / sqrt(pi) - 1
  static constexpr double erf_near = 1;                      // where the two formulas of erf meet

  /// (exp(r) - 1 - r) / r^2 for |r| <= 0.34675: 2^-61 of expm1(r).
  TESSEREC_FUNCTION static double exp_rest(double r) {
    return polynomial(r, 0x1p-1, 0x1.5555555555559p-3, 0x1.555555555555ap-5, 0x1.111111110f698p-7,
                      0x1.6c16c16c1443cp-10, 0x1.a01a01afef2fp-13, 0x1.a01a01b0bdabbp-16, 0x1.71ddf837b476p-19,
                      0x1.27e4c5925dcecp-22, 0x1.af5ef3ec9ffafp-26, 0x1.1f957a1af015p-29);
  }
  /// (2 atanh(s / 2) - s) / s^3, t = s^2, |s| <= 2 (sqrt(2) - 1) / (sqrt(2) + 1): 2^-59.
  TESSEREC_FUNCTION static double log_rest(double t) {
    return polynomial(t, 0x1.5555555555592p-4, 0x1.999999997fd37p-7, 0x1.24924941f8d27p-9, 0x1.c71c5202b225fp-12,
                      0x1.7466405c0c868p-14, 0x1.39a19331d12e6p-16, 0x1.2f0705bf2a934p-18);
  }
  /// (sin(r) - r) / r^3, t = r^2, |r| <= pi/4: 2^-58.
  TESSEREC_FUNCTION static double sin_rest(double t) {
    return polynomial(t, -0x1.5555555555549p-3, 0x1.111111110f87ap-7, -0x1.a01a019c11991p-13, 0x1.71de3577b65d8p-19,
                      -0x1.ae5e663a5e85ap-26, 0x1.5d9300ed96534p-33);
  }
  /// (cos(r) - 1 + r^2 / 2) / r^4, t = r^2, |r| <= pi/4: 2^-64.
  TESSEREC_FUNCTION static double cos_rest(double t) {
    return polynomial(t, 0x1.555555555554cp-5, -0x1.6c16c16c1517ep-10, 0x1.a01a019cb1bd7p-16, -0x1.27e4f809f074ap-22,
                      0x1.1ee9ebe90fd3dp-29, -0x1.8fae9c67b544ep-37);
  }
  /// (erf(x) / x - 2 / sqrt(pi)) / x^2, t = x^2, x <= erf_near: 2^-57.
  TESSEREC_FUNCTION static double erf_rest(double t) {
    return polynomial(t, -0x1.812746b0379cep-2, 0x1.ce2f21a04153p-4, -0x1.b82ce31215b45p-6, 0x1.565bccfc3c80dp-8,
                      -0x1.c02db0a86feedp-11, 0x1.f9a2c3d66db5ep-14, -0x1.f4cad0d3246a5p-17, 0x1.b98495dca30f3p-20,
                      -0x1.5c22b2d94d473p-23, 0x1.d7d01a9aaa7f6p-27, -0x1.adb1dae8b37a1p-31);
  }
  /// exp(x^2) erfc(x), erf_near <= x <= 6, in 1 / (x + 2): 2^-58 of erf(x).
  TESSEREC_FUNCTION static double erfcx(double x) {
    const double t = 1 / (x + 2);
    return t * polynomial(t, 0x1.20e37abe4acbap-1, 0x1.204ed17809bap+0, 0x1.02c8e4564214cp+1, 0x1.1a73a80d1bec7p+1,
                          0x1.01634e91d861dp+3, -0x1.08f2f5e8ed839p+5, 0x1.0fa155767385ap+7, -0x1.c423154dd5a9dp+8,
                          0x1.c1574cda7a5ddp+9, -0x1.05c608c71626p+10, 0x1.52b88e639a2b7p+9, -0x1.7d48d5368b481p+7);
  }
};

template <>
struct Numbers<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction_bits = 23, bias = 127;
  static constexpr float shift = 0x1.8p23f, integers = 0x1p23f, smallest = 0x1p-126f, tiny = 0x1p-25f;
  static constexpr float raise = 0x1p25f;
  static constexpr int raised = 25;
  static constexpr float exp_least = -104, exp_most = 89;
  static constexpr float expm1_least = -18, tanh_most = 10, erf_most = 4;
  static constexpr float most_angle = 0x1p13f;

  static constexpr float infinity = std::numeric_limits<float>::infinity(),
                         nan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float ln2 = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;  // 15 bits
  static constexpr float per_ln2 = 0x1.715476p+0f;
  static constexpr float half_pi = 0x1.921fb6p+0f, half_pi_low = -0x1.777a5cp-25f, half_pi_last = -0x1.ee59dap-50f,
                         per_half_pi = 0x1.45f306p-1f;
  static constexpr float root_half = 0x1.6a09e6p-1f;
  static constexpr float erf_slope = 0x1.06eba8p-3f, erf_near = 0.828125f;

  // The same six, erfcx to 4 and in x - 1.25: 2^-31, 2^-30, 2^-37, 2^-33, 2^-33, 2^-31.
  TESSEREC_FUNCTION static float exp_rest(float r) {
    return polynomial(r, 0x1p-1f, 0x1.555556p-3f, 0x1.5554aep-5f, 0x1.11109p-7f, 0x1.6d74eap-10f, 0x1.a1a1d4p-13f);
  }
  TESSEREC_FUNCTION static float log_rest(float t) {
    return polynomial(t, 0x1.55557ap-4f, 0x1.995eb4p-7f, 0x1.31e3a6p-9f);
  }
  TESSEREC_FUNCTION static float sin_rest(float t) {
    return polynomial(t, -0x1.555556p-3f, 0x1.111108p-7f, -0x1.a00f94p-13f, 0x1.6cd5ecp-19f);
  }
  TESSEREC_FUNCTION static float cos_rest(float t) {
    return polynomial(t, 0x1.55554ap-5f, -0x1.6c0c82p-10f, 0x1.99ff4p-16f);
  }
  TESSEREC_FUNCTION static float erf_rest(float t) {
    return polynomial(t, -0x1.812746p-2f, 0x1.ce2ed8p-4f, -0x1.b821cp-6f, 0x1.5596dp-8f, -0x1.b2464ap-11f,
                      0x1.7ab93ep-14f);
  }
  TESSEREC_FUNCTION static float erfcx(float x) {
    const float u = x - 1.25f;
    return polynomial(u, 0x1.78a692p-2f, -0x1.abaacep-3f, 0x1.b56f76p-4f, -0x1.9b62acp-5f, 0x1.689502p-6f,
                      -0x1.29a568p-7f, 0x1.d45722p-9f, -0x1.5e8b5ep-10f, 0x1.ca7afep-12f, -0x1.a5807ap-14f,
                      0x1.707962p-17f);
  }
};

}  // namespace tesserec::elementary
