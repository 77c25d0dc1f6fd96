// SPDX-License-Identifier: Apache-2.0
/// Polynomials of elementary.hpp in each precision: minimax, by Remez exchanges in 50 digits, each coefficient then
/// rounded. A comment gives the interval and the error before rounding, relative to the function unless it says
/// otherwise.
#pragma once

#include <cmath>

#include <tesserec/core/kernel.hpp>

namespace tesserec::elementary {

/// Computes c[0] + x * (c[1] + x * (c[2] + ...)), a chain of fma.
template <class T>
TESSEREC_FUNCTION T polynomial(T, T c0) {
  return c0;
}
template <class T, class... More>
TESSEREC_FUNCTION T polynomial(T x, T c0, T c1, More... more) {
  return std::fma(x, polynomial(x, c1, more...), c0);
}

template <class T>
struct Polynomials;

template <>
struct Polynomials<double> {
  static constexpr double erf_slope = 0x1.06eba8214db69p-3;  // 2 / sqrt(pi) - 1
  static constexpr double erf_near = 1;                      // argument where the two formulas of erf meet

  /// Computes (exp(r) - 1 - r) / r^2 for |r| <= 0.34675, to 2^-61 of expm1(r).
  TESSEREC_FUNCTION static double exp_rest(double r) {
    return polynomial(r, 0x1p-1, 0x1.5555555555559p-3, 0x1.555555555555ap-5, 0x1.111111110f698p-7,
                      0x1.6c16c16c1443cp-10, 0x1.a01a01afef2fp-13, 0x1.a01a01b0bdabbp-16, 0x1.71ddf837b476p-19,
                      0x1.27e4c5925dcecp-22, 0x1.af5ef3ec9ffafp-26, 0x1.1f957a1af015p-29);
  }
  /// Computes (2 atanh(s / 2) - s) / s^3, t = s^2, |s| <= 2 (sqrt(2) - 1) / (sqrt(2) + 1), to 2^-59.
  TESSEREC_FUNCTION static double log_rest(double t) {
    return polynomial(t, 0x1.5555555555592p-4, 0x1.999999997fd37p-7, 0x1.24924941f8d27p-9, 0x1.c71c5202b225fp-12,
                      0x1.7466405c0c868p-14, 0x1.39a19331d12e6p-16, 0x1.2f0705bf2a934p-18);
  }
  /// Computes (sin(r) - r) / r^3, t = r^2, |r| <= pi/4, to 2^-58.
  TESSEREC_FUNCTION static double sin_rest(double t) {
    return polynomial(t, -0x1.5555555555549p-3, 0x1.111111110f87ap-7, -0x1.a01a019c11991p-13, 0x1.71de3577b65d8p-19,
                      -0x1.ae5e663a5e85ap-26, 0x1.5d9300ed96534p-33);
  }
  /// Computes (cos(r) - 1 + r^2 / 2) / r^4, t = r^2, |r| <= pi/4, to 2^-64.
  TESSEREC_FUNCTION static double cos_rest(double t) {
    return polynomial(t, 0x1.555555555554cp-5, -0x1.6c16c16c1517ep-10, 0x1.a01a019cb1bd7p-16, -0x1.27e4f809f074ap-22,
                      0x1.1ee9ebe90fd3dp-29, -0x1.8fae9c67b544ep-37);
  }
  /// Computes (erf(x) / x - 2 / sqrt(pi)) / x^2, t = x^2, x <= erf_near, to 2^-57.
  TESSEREC_FUNCTION static double erf_rest(double t) {
    return polynomial(t, -0x1.812746b0379cep-2, 0x1.ce2f21a04153p-4, -0x1.b82ce31215b45p-6, 0x1.565bccfc3c80dp-8,
                      -0x1.c02db0a86feedp-11, 0x1.f9a2c3d66db5ep-14, -0x1.f4cad0d3246a5p-17, 0x1.b98495dca30f3p-20,
                      -0x1.5c22b2d94d473p-23, 0x1.d7d01a9aaa7f6p-27, -0x1.adb1dae8b37a1p-31);
  }
  /// Computes exp(x^2) erfc(x), erf_near <= x <= 6, by powers of 1 / (x + 2), to 2^-58 of erf(x).
  TESSEREC_FUNCTION static double erfcx(double x) {
    const double t = 1 / (x + 2);
    return t * polynomial(t, 0x1.20e37abe4acbap-1, 0x1.204ed17809bap+0, 0x1.02c8e4564214cp+1, 0x1.1a73a80d1bec7p+1,
                          0x1.01634e91d861dp+3, -0x1.08f2f5e8ed839p+5, 0x1.0fa155767385ap+7, -0x1.c423154dd5a9dp+8,
                          0x1.c1574cda7a5ddp+9, -0x1.05c608c71626p+10, 0x1.52b88e639a2b7p+9, -0x1.7d48d5368b481p+7);
  }
};

template <>
struct Polynomials<float> {
  static constexpr float erf_slope = 0x1.06eba8p-3f, erf_near = 0.828125f;

  // Computes the same six, erfcx to 4 and by powers of x - 1.25, to 2^-31, 2^-30, 2^-37, 2^-33, 2^-33, 2^-31.
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
