// SPDX-License-Identifier: Apache-2.0
#include "zipf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/data/reference.hpp>

namespace tesserec::data {
namespace {

TESSEREC_KERNEL double weight(double x, double exponent) { return elementary::exp(-exponent * elementary::log(x)); }

/// Integrates t^(power - 1) from 1 to x.
TESSEREC_KERNEL double integral_of(double power, double x) {
  const double log_x = elementary::log(x);
  return std::abs(power) < 1e-12 ? log_x : elementary::expm1(power * log_x) / power;
}

/// Inverts integral_of(): computes n values x from its values y.
TESSEREC_KERNEL void inverse_of(double power, Index n, const double* y, double* x) {
  if (std::abs(power) < 1e-12)
    for (Index i = 0; i < n; ++i) x[i] = elementary::exp(y[i]);
  else if (std::abs(power) > 1e-3)
    for (Index i = 0; i < n; ++i) x[i] = elementary::exp(elementary::log(std::max(1 + power * y[i], 1e-300)) / power);
  else
    for (Index i = 0; i < n; ++i) x[i] = elementary::exp(elementary::log1p(power * y[i]) / power);
}

}  // namespace

Zipf::Zipf(Index rows, double exponent) : rows_(rows), exponent_(exponent), hot_(std::min(rows, max_hot)) {
  std::vector<double> weights;
  for (Index rank = 0; rank < hot_; ++rank) weights.push_back(weight(double(rank + 1), exponent));
  if (hot_ < rows) {
    // The tail is the Euler-Maclaurin sum from a = hot + 1 to n = rows, whose next term is below 1e-15 of it.
    const double a = hot_ + 1, n = rows;
    const double at_a = weight(a, exponent), at_n = weight(n, exponent);
    weights.push_back(integral(n) - integral(a) + (at_a + at_n) / 2 + exponent * (at_a / a - at_n / n) / 12);
    tail_begin_ = integral(a + 0.5) - at_a;
    tail_end_ = integral(n + 0.5);
  }
  for (const double w : weights) total_ += w;
  build_alias(std::move(weights));
}

double Zipf::integral(double x) const { return integral_of(1 - exponent_, x); }

void Zipf::build_alias(std::vector<double> weights) {
  const std::size_t entries = std::bit_ceil(weights.size());
  bits_ = std::countr_zero(entries);
  weights.resize(entries, 0.0);
  alias_.resize(entries);
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t i = 0; i < entries; ++i) {
    weights[i] *= double(entries) / total_;
    (weights[i] < 1 ? small : large).push_back(i);
    alias_[i] = {~0u, i};
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t poor = small.back(), rich = large.back();
    small.pop_back();
    alias_[poor] = {std::uint32_t(weights[poor] * 0x1p32), rich};
    weights[rich] -= 1 - weights[poor];
    if (weights[rich] < 1) {
      large.pop_back();
      small.push_back(rich);
    }
  }
}

double Zipf::place(const std::uint32_t* quad) const {
  const double u = double((std::uint64_t{quad[2]} << 32 | quad[3]) >> 11) * 0x1p-53;
  return tail_end_ - u * (tail_end_ - tail_begin_);
}

Index Zipf::accept(double x, double y) const {
  const double k = std::clamp(std::floor(x + 0.5), double(hot_ + 1), double(rows_));
  // Rejection concerns the left border of a cell, less than a thousandth of its width for ranks beyond max_hot.
  return x > k - 0.499 || y >= integral(k + 0.5) - weight(k, exponent_) ? Index(k) - 1 : -1;
}

void Zipf::draw(const Random& random, std::span<const Index> rows, std::span<const Index> firsts, Index stride,
                Index* ranks) const {
  constexpr Index block_ranks = 512;  // ranks per pass
  std::uint32_t quads[4 * block_ranks];
  Index tail[block_ranks];
  double y[block_ranks], x[block_ranks];
  for (Index begin = 0; begin < std::ssize(rows); begin += block_ranks) {
    const Index n = std::min(block_ranks, std::ssize(rows) - begin);
    random.quads(rows.subspan(begin, n), firsts.subspan(begin, n), quads);
    Index in_tail = 0;
    for (Index i = 0; i < n; ++i) {
      const std::uint32_t* q = quads + 4 * i;
      const std::uint32_t entry = (std::uint64_t{q[0]} << bits_) >> 32;
      const Index outcome = q[1] < alias_[entry].cut ? entry : alias_[entry].other;
      ranks[begin + i] = outcome;
      tail[in_tail] = i;
      y[in_tail] = place(q);
      in_tail += outcome >= hot_;
    }
    inverse_of(1 - exponent_, in_tail, y, x);
    for (Index t = 0; t < in_tail; ++t) {
      const Index i = begin + tail[t];
      Index rank = accept(x[t], y[t]);
      for (Index counter = firsts[i]; rank < 0; rank = accept(x[t], y[t])) {
        y[t] = place(random.quad(rows[i], counter += stride).data());
        inverse_of(1 - exponent_, 1, y + t, x + t);
      }
      ranks[i] = rank;
    }
  }
}

Index Zipf::draw(UniformStream& uniform) const {
  const double scaled = std::ldexp(uniform.next(), bits_);
  const auto entry = std::uint32_t(scaled);
  const Index outcome = (scaled - entry) * 0x1p32 < alias_[entry].cut ? entry : alias_[entry].other;
  if (outcome < hot_) return outcome;
  for (;;) {
    double y = tail_end_ - uniform.next() * (tail_end_ - tail_begin_), x = 0;
    inverse_of(1 - exponent_, 1, &y, &x);
    if (const Index rank = accept(x, y); rank >= 0) return rank;
  }
}

double Zipf::probability(Index rank) const { return weight(double(rank + 1), exponent_) / total_; }

}  // namespace tesserec::data
