// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/metrics/sample_sums.hpp>

namespace tesserec::metrics {
namespace {

// Clamp of probabilities, so that 0 and 1 have a finite loss (TorchRec's value).
constexpr double eta = 1e-12;

TESSEREC_KERNEL double cross_entropy(double p, double y) {
  double loss = 0;
  if (y != 0) loss -= y * elementary::log(p);
  if (y != 1) loss -= (1 - y) * elementary::log(1 - p);
  return loss;
}

double ratio(Unsigned128 numerator, Unsigned128 denominator) {
  return denominator == 0 ? 0.0 : double(numerator) / double(denominator);
}

}  // namespace

void SampleSums::add(std::span<const double> probabilities, std::span<const float> labels,
                     std::span<const float> weights, double threshold) {
  assert(probabilities.size() == labels.size() && (weights.empty() || weights.size() == labels.size()));
  FixedPoint terms[count];
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities[i], y = labels[i], w = weights.empty() ? 1.0 : weights[i];
    const bool is_click = labels[i] >= click_threshold, is_predicted = p >= threshold;
    terms[weight].add(w);
    terms[clicks].add(is_click ? w : 0);
    terms[predicted].add(is_predicted ? w : 0);
    terms[hits].add(is_click && is_predicted ? w : 0);
    terms[loss].add(w * cross_entropy(std::clamp(p, eta, 1 - eta), y));
    terms[probability].add(w * p);
    terms[label].add(w * y);
    terms[squared_error].add(w * ((p - y) * (p - y)));
    terms[absolute_error].add(w * std::abs(p - y));
  }
  for (int which = weight; which < count; ++which) sums_[which] += static_cast<Unsigned128>(terms[which].units());
  sums_[samples] += probabilities.size();
}

SampleSums& SampleSums::operator+=(const SampleSums& other) {
  for (int which = 0; which < count; ++which) sums_[which] += other.sums_[which];
  return *this;
}

SampleSums& SampleSums::operator-=(const SampleSums& other) {
  for (int which = 0; which < count; ++which) sums_[which] -= other.sums_[which];
  return *this;
}

SampleSums SampleSums::over_ranks(const comm::Communicator& comm) const {
  SampleSums all = *this;
  sum(comm, std::span<Unsigned128>(all.sums_));
  return all;
}

void SampleSums::append_to(std::vector<std::int64_t>& values) const {
  static_assert(words == 2 * count);
  for (const Unsigned128 sum : sums_) {
    values.push_back(std::int64_t(sum));
    values.push_back(std::int64_t(sum >> 64));
  }
}

SampleSums SampleSums::from(std::span<const std::int64_t> values) {
  SampleSums result;
  for (int which = 0; which < count; ++which)
    result.sums_[which] = static_cast<Unsigned128>(std::uint64_t(values[2 * which])) |
                          static_cast<Unsigned128>(std::uint64_t(values[2 * which + 1])) << 64;
  return result;
}

double SampleSums::total(SumIndex which) const { return FixedPoint(Int128(sums_[which])).value(); }

SumMetrics SampleSums::metrics() const {
  SumMetrics m;
  m.samples = Index(sums_[samples]);
  if (sums_[weight] == 0) return m;
  const double n = total(weight);
  m.log_loss = total(loss) / n;
  m.ctr = total(label) / n;
  if (m.ctr > 0 && m.ctr < 1)
    m.ne = m.log_loss / -(m.ctr * elementary::log(m.ctr) + (1 - m.ctr) * elementary::log1p(-m.ctr));
  if (m.ctr > 0) m.calibration = total(probability) / total(label);
  const Unsigned128 wrong = sums_[predicted] + sums_[clicks] - 2 * sums_[hits];
  m.accuracy = ratio(sums_[weight] - wrong, sums_[weight]);
  m.precision = ratio(sums_[hits], sums_[predicted]);
  m.recall = ratio(sums_[hits], sums_[clicks]);
  m.f1 = ratio(2 * sums_[hits], sums_[predicted] + sums_[clicks]);
  m.mse = total(squared_error) / n;
  m.rmse = std::sqrt(m.mse);
  m.mae = total(absolute_error) / n;
  return m;
}

}  // namespace tesserec::metrics
