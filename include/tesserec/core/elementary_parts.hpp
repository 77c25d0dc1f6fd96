// SPDX-License-Identifier: Apache-2.0
/// Building blocks of elementary.hpp: bits, reductions of the argument, and the functions of a reduced argument.
#pragma once

#include <tesserec/core/elementary_numbers.hpp>
#include <tesserec/core/elementary_polynomials.hpp>

namespace tesserec::elementary::parts {

// Returns the bits as std::bit_cast does, without a function that objects for two instruction sets would share.
template <class T>
TESSEREC_FUNCTION typename Numbers<T>::Bits bits(T x) {
  return __builtin_bit_cast(typename Numbers<T>::Bits, x);
}
template <class T>
TESSEREC_FUNCTION T number(typename Numbers<T>::Bits bits) {
  return __builtin_bit_cast(T, bits);
}
// Chooses by bits: the compiler would make a branch of ?:, which keeps a loop from being vectorized.
template <class T>
TESSEREC_FUNCTION T choose(bool condition, T yes, T no) {
  const typename Numbers<T>::Bits mask = -static_cast<typename Numbers<T>::Bits>(condition);
  return number<T>((bits(yes) & mask) | (bits(no) & ~mask));
}
template <class T>
TESSEREC_FUNCTION T magnitude(T x) {
  return number<T>(bits(x) & (~typename Numbers<T>::Bits{0} >> 1));
}
/// Returns y, or -y if the sign bit of x is set.
template <class T>
TESSEREC_FUNCTION T odd(T y, T x) {
  return number<T>(bits(y) ^ bits(x) ^ bits(magnitude(x)));
}
/// Returns 2^(e - bias), 0 < e < 2 * bias + 1.
template <class T>
TESSEREC_FUNCTION T power(typename Numbers<T>::Bits e) {
  return number<T>(e << Numbers<T>::fraction_bits);
}

/// A number of more bits: high + low, |low| far below |high|.
template <class T>
struct Pair {
  T high, low;
};
/// Computes 1 + x without an error; x may be NaN.
template <class T>
TESSEREC_FUNCTION Pair<T> one_plus(T x) {
  const T sum = 1 + x, larger = choose(x < 1, T{1}, x), smaller = choose(x < 1, x, T{1});
  return {sum, (larger - sum) + smaller};
}

/// Result of the reduction x + x_low = k ln 2 + r, |r| <= ln(2) / 2.
template <class T>
struct ExpReduction {
  typename Numbers<T>::Bits e;  // k + 2 * bias
  Pair<T> r;
};
template <class T>
TESSEREC_FUNCTION ExpReduction<T> reduce_exp(T x, T x_low) {
  using N = Numbers<T>;
  const T shifted = std::fma(x, N::per_ln2, N::shift), k = shifted - N::shift;
  const T near = std::fma(-k, N::ln2, x);  // exact
  const T r = std::fma(-k, N::ln2_low, near);
  return {bits(shifted) - bits(N::shift) + 2 * N::bias, {r, std::fma(-k, N::ln2_low, near - r) + x_low}};
}
/// Computes exp(r) - 1 - r.high.
template <class T>
TESSEREC_FUNCTION T exp_tail(Pair<T> r) {
  return std::fma(r.high * r.high, Polynomials<T>::exp_rest(r.high), std::fma(r.low, r.high, r.low));
}
template <class T>
TESSEREC_FUNCTION T exp_of(Pair<T> r) {
  const T sum = 1 + r.high;
  return sum + (((1 - sum) + r.high) + exp_tail(r));
}
/// Computes expm1(x) / 2, because 2^1024 would overflow.
template <class T>
TESSEREC_FUNCTION Pair<T> half_expm1(T x) {
  using N = Numbers<T>;
  const auto [e, r] = reduce_exp(x, T{0});
  const T scale = power<T>(e - (N::bias + 1)), whole = scale - T{0.5}, linear = scale * r.high;
  const T sum = whole + linear;  // |whole| > |linear|, or it is 0
  const T low = ((whole - sum) + linear) + std::fma(scale, exp_tail(r), (scale - whole) - T{0.5});
  return {sum + low, (sum - (sum + low)) + low};
}

/// Result of the reduction x = 2^k m, sqrt(1/2) <= m < sqrt(2).
template <class T>
struct LogReduction {
  typename Numbers<T>::Bits e;  // k + bias
  T m;
};
template <class T>
TESSEREC_FUNCTION LogReduction<T> reduce_log(T x) {
  using N = Numbers<T>;
  const auto e = (bits(x) + (bits(T{1}) - bits(N::root_half))) >> N::fraction_bits;
  return {e, number<T>(bits(x) - (e << N::fraction_bits) + bits(T{1}))};
}
template <class T>
TESSEREC_FUNCTION T as_number(typename Numbers<T>::Bits counter) {
  return number<T>(counter | bits(Numbers<T>::integers)) - Numbers<T>::integers;
}
/// Computes k ln 2 + log(1 + f), where log(1 + f) is 2 atanh(s / 2), s = f / (1 + f / 2).
template <class T>
TESSEREC_FUNCTION T log_of(T k, Pair<T> f) {
  using N = Numbers<T>;
  const T half = T{0.5};
  const T d = std::fma(half, f.high, T{1}), d_low = std::fma(half, f.high, 1 - d) + half * f.low, inverse = 1 / d;
  const T s = f.high * inverse, s_low = (std::fma(-s, d, f.high) + (f.low - s * d_low)) * inverse, t = s * s;
  const T whole = k * N::ln2, sum = whole + s;
  return sum + (((whole - sum) + s) + (s_low + std::fma(k, N::ln2_low, s * t * Polynomials<T>::log_rest(t))));
}

/// Result of the reduction |x| = q pi/2 + r, |r| <= pi/4, with pi/2 in three parts (Cody and Waite, 1980).
template <class T>
struct Angle {
  typename Numbers<T>::Bits q;  // only its last two bits count
  T sine, cosine;               // sine and cosine of r
};
template <class T>
TESSEREC_FUNCTION Angle<T> angle_of(T x) {
  using N = Numbers<T>;
  const T a = magnitude(x), shifted = std::fma(a, N::per_half_pi, N::shift), q = shifted - N::shift;
  const T near = std::fma(-q, N::half_pi, a);  // exact
  const T second = q * N::half_pi_low, r = near - second;
  const T low = std::fma(-q, N::half_pi_last, ((near - r) - second) - std::fma(q, N::half_pi_low, -second));
  const T t = r * r, half = T{-0.5} * r, sum = std::fma(half, r, T{1});
  return {bits(shifted), r + std::fma(r * t, Polynomials<T>::sin_rest(t), low * sum),
          sum + (std::fma(half, r, 1 - sum) + std::fma(t * t, Polynomials<T>::cos_rest(t), -r * low))};
}
/// Returns the function of quadrant q: sine, cosine, -sine, -cosine.
template <class T>
TESSEREC_FUNCTION T turned(typename Numbers<T>::Bits q, const Angle<T>& angle) {
  const T y = choose((q & 1) != 0, angle.cosine, angle.sine);
  return number<T>(bits(y) ^ ((q & 2) << (8 * sizeof(T) - 2)));
}
template <class T>
TESSEREC_FUNCTION T if_known(T x, T y) {
  return choose(magnitude(x) <= Numbers<T>::max_angle, y, Numbers<T>::nan);
}

}  // namespace tesserec::elementary::parts
