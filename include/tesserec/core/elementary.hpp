// SPDX-License-Identifier: Apache-2.0
/// Elementary functions of double and float with the same bits on every processor, with every version of a C library
/// and at any vector width. Each is a fixed chain of +, -, *, / and fma, which IEEE 754 rounds in one way. They have no
/// branch and no table, so that loops over them are vectorized. The compiler must neither fuse nor reorder:
/// -ffp-contract=off here, --fmad=false for a device.
///
/// The methods are textbook ones (Muller, Handbook of Floating-Point Arithmetic and Elementary Functions). The argument
/// is reduced, and a second number keeps the reduction's error. A polynomial gives all beyond the first terms, and the
/// largest term is added last.
///
/// Errors below are the worst found: over all floats, and over some 10^9 doubles drawn from the intervals where each
/// formula is at its worst. They are in units of the last place, double / float; rounding alone costs 0.5. NaN gives
/// NaN, with no promise about its bits.
#pragma once

#include <tesserec/core/elementary_parts.hpp>

namespace tesserec::elementary {

/// Computes e^x: x = k ln 2 + r, e^r by a polynomial. 0.77 / 0.76 ulp if the result is denormal, else 0.6; ends in 0
/// and inf.
template <class T>
TESSEREC_FUNCTION T exp(T x) {
  using N = Numbers<T>;
  const T low = parts::choose(x < N::exp_min, N::exp_min, x), in = parts::choose(low > N::exp_max, N::exp_max, low);
  const auto [e, r] = parts::reduce_exp(in, T{0});
  const auto half = e >> 1;  // two powers: the last product rounds, also to a denormal or inf
  return parts::exp_of(r) * parts::power<T>(half) * parts::power<T>(e - half);
}

/// Computes e^x - 1, also near 0: (2^k - 1) + 2^k (e^r - 1), halved, plus the rounding error of the sum. 0.90 / 0.91
/// ulp.
template <class T>
TESSEREC_FUNCTION T expm1(T x) {
  using N = Numbers<T>;
  const T low = parts::choose(x < N::expm1_min, N::expm1_min, x);
  const auto y = parts::half_expm1(parts::choose(low > N::exp_max, N::exp_max, low));
  return parts::choose(parts::magnitude(x) < N::tiny, x, 2 * y.high);
}

/// Computes the natural logarithm: x = 2^k m, log m = 2 atanh((m - 1) / (m + 1)). 0.57 / 0.56 ulp; -inf of 0, NaN
/// below.
template <class T>
TESSEREC_FUNCTION T log(T x) {
  using N = Numbers<T>;
  const bool denormal = x < N::smallest;
  const auto [e, m] = parts::reduce_log(parts::choose(denormal, x * N::raise, x));
  const T k = parts::as_number<T>(e) - parts::choose(denormal, T{N::bias + N::raised}, T{N::bias});
  const T y = parts::log_of(k, {m - 1, T{0}});
  return parts::choose(x > 0, parts::choose(x < N::infinity, y, N::infinity),
                       parts::choose(x == 0, -N::infinity, N::nan));
}

/// Computes log(1 + x), also near 0, as log() with the rounding error of 1 + x added. 0.59 / 0.59 ulp; -inf of -1, NaN
/// below.
template <class T>
TESSEREC_FUNCTION T log1p(T x) {
  using N = Numbers<T>;
  const auto sum = parts::one_plus(x);
  const auto [e, m] = parts::reduce_log(sum.high);
  const bool near = e == N::bias;  // x itself is nearer than 1 + x
  const T f = parts::choose(near, x, m - 1),
          f_low = parts::choose(near, T{0}, sum.low * parts::power<T>(2 * N::bias + 1 - e) / 2);
  const T y = parts::log_of(parts::as_number<T>(e) - N::bias, {f, f_low});
  const T number = parts::choose(x == 0, x, parts::choose(x < N::infinity, y, N::infinity));
  return parts::choose(x > -1, number, parts::choose(x == -1, -N::infinity, N::nan));
}

/// Computes the sine of x radians, |x| <= 2^20 (float: 2^13). NaN beyond, where the reduction does not hold. 0.75 /
/// 0.76 ulp.
template <class T>
TESSEREC_FUNCTION T sin(T x) {
  const auto angle = parts::angle_of(x);
  return parts::if_known(x, parts::odd(parts::turned(angle.q, angle), x));
}

/// Computes the cosine, as sin() does the sine. 0.75 / 0.76 ulp.
template <class T>
TESSEREC_FUNCTION T cos(T x) {
  const auto angle = parts::angle_of(x);
  return parts::if_known(x, parts::turned(angle.q + 1, angle));
}

/// Computes tanh x as h / (1 + h), h = expm1(2 |x|) / 2, with a correction of the quotient. 0.77 / 0.79 ulp.
template <class T>
TESSEREC_FUNCTION T tanh(T x) {
  using N = Numbers<T>;
  const T a = parts::magnitude(x);
  const auto h = parts::half_expm1(2 * parts::choose(a > N::tanh_max, N::tanh_max, a));
  const auto d = parts::one_plus(h.high);  // tanh = h / (1 + h)
  const T inverse = 1 / d.high, y = h.high * inverse;
  const T residual = std::fma(-y, d.high, h.high) + (h.low - y * (d.low + h.low));
  return parts::odd(std::fma(residual, inverse, y), x);
}

/// Computes 1 / (1 + e^-x), also where e^-x would overflow. 2.4 / 2.4 ulp.
template <class T>
TESSEREC_FUNCTION T sigmoid(T x) {
  const T e = elementary::exp(-parts::magnitude(x));
  return parts::choose(x < 0, e, T{1}) / (1 + e);
}

/// Computes the error function: an odd polynomial near 0, from erf_near on 1 - exp(-x^2) erfcx(x). 1.3 / 0.89 ulp.
template <class T>
TESSEREC_FUNCTION T erf(T x) {
  using N = Numbers<T>;
  using P = Polynomials<T>;
  const T a = parts::magnitude(x), b = parts::choose(a > N::erf_max, N::erf_max, a), square = b * b;
  const T near = std::fma(b, std::fma(square, P::erf_rest(square), P::erf_slope), b);
  const auto [e, r] = parts::reduce_exp(-square, std::fma(-b, b, square));
  const T far = std::fma(-parts::exp_of(r) * parts::power<T>(e - N::bias), P::erfcx(b), T{1});
  return parts::odd(parts::choose(a < P::erf_near, near, far), x);
}

}  // namespace tesserec::elementary
