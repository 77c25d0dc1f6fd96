// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include <tesserec/core/exact_sum.hpp>

namespace tesserec {
namespace {

constexpr int word_bits = 32;
constexpr int lowest = -350;  // exponent of the unit, the last bit of a double of 2^-298
constexpr double limit = 0x1p260;

}  // namespace

void ExactSum::add(double value) {
  if (value == 0.0) return;
  if (!(value < limit)) {
    ++words_.back();
    return;
  }
  assert(value >= 0x1p-298);
  constexpr int mantissa_bits = 52, bias = 1023;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t whole = (bits & ((std::uint64_t{1} << mantissa_bits) - 1)) | std::uint64_t{1} << mantissa_bits;
  const int shift = int(bits >> mantissa_bits) - bias - mantissa_bits - lowest;  // position of `whole` [bits]
  Index* const to = words_.data() + shift / word_bits;
  const int inside = shift % word_bits;
  const std::uint64_t above = whole >> (word_bits - inside);
  to[0] += std::uint32_t(whole << inside);
  to[1] += std::uint32_t(above);
  to[2] += Index(above >> word_bits);
}

void ExactSum::carry() {
  for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
    words_[i + 1] += words_[i] >> word_bits;
    words_[i] &= (Index{1} << word_bits) - 1;
  }
}

void ExactSum::operator+=(const ExactSum& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] += other.words_[i];
  carry();
}

double ExactSum::value() const {
  if (words_.back() > 0) return std::numeric_limits<double>::infinity();
  ExactSum sum = *this;
  sum.carry();
  double value = 0.0;
  for (int i = int(words_.size()) - 2; i >= 0; --i) value += std::ldexp(double(sum.words_[i]), word_bits * i + lowest);
  return value;
}

void add_squares(const float* values, Index n, ExactSum& sum) {
  for (Index first = 0; first < n; first += 4) {
    double squares = 0.0;
    for (Index i = first; i < std::min(first + 4, n); ++i) squares += double(values[i]) * double(values[i]);
    sum.add(squares);
  }
}

}  // namespace tesserec
