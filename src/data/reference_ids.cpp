// SPDX-License-Identifier: Apache-2.0
#include "reference_ids.hpp"

#include <algorithm>
#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/data/reference.hpp>
#include <tesserec/data/synthetic.hpp>

namespace tesserec::data {
namespace {

/// Returns 1 - (1 - p)^draws: the probability that an id with probability p is drawn at least once.
double share_of_bags(double p, Index draws) {
  return p < 1 ? -elementary::expm1(double(draws) * elementary::log1p(-p)) : 1.0;
}

/// Returns the mean number of distinct ranks among the draws. Takes ranks beyond the hot ones in runs that are a
/// hundredth of their first rank, each with the probability of its middle.
double distinct_ranks(const Zipf& zipf, Index rows, Index draws) {
  double sum = 0;
  for (Index rank = 0; rank < zipf.hot(); ++rank) sum += share_of_bags(zipf.probability(rank), draws);
  for (Index rank = zipf.hot(), end = 0; rank < rows; rank = end) {
    end = std::min(rows, rank + rank / 100 + 1);
    sum += double(end - rank) * share_of_bags(zipf.probability((rank + end - 1) / 2), draws);
  }
  return sum;
}

}  // namespace

ReferenceIds::ReferenceIds(const SyntheticSettings& settings, Index rows) : rows_(rows), law_(id_law(settings)) {
  const Index last = rows - 1;
  low_ = double(std::min(last, settings.gaussian_min.value_or(0)));
  high_ = double(std::min(last, settings.gaussian_max.value_or(last)));
  mu_ = settings.gaussian_mu.value_or((low_ + high_) / 2);
  sigma_ = settings.gaussian_sigma.value_or((high_ - low_) / 6);
  if (law_ == IdLaw::zipf) zipf_.emplace(rows, settings.zipf);
}

void ReferenceIds::add_gaussian(Index draws, UniformStream& uniform, std::vector<Index>& ids) const {
  std::vector<double> numbers;
  for (Index i = 0; i < draws; ++i) numbers.push_back(std::clamp(mu_ + sigma_ * uniform.normal(), low_, high_));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const double number : numbers) ids.push_back(Index(number));
}

void ReferenceIds::add_bag(Index draws, UniformStream& uniform, std::vector<Index>& ids) const {
  if (law_ == IdLaw::gaussian) return add_gaussian(draws, uniform, ids);
  const std::ptrdiff_t first = ids.size();
  for (Index i = 0; i < draws; ++i)
    ids.push_back(zipf_ ? zipf_->draw(uniform) : Index(std::nearbyint(uniform.next() * double(rows_ - 1))));
  std::sort(ids.begin() + first, ids.end());
  ids.erase(std::unique(ids.begin() + first, ids.end()), ids.end());
}

double ReferenceIds::mean_length(Index draws) const {
  if (draws == 1) return 1.0;
  if (zipf_) return distinct_ranks(*zipf_, rows_, draws);
  if (law_ == IdLaw::uniform) return rows_ == 1 ? 1.0 : double(rows_) * share_of_bags(1 / double(rows_), draws);
  if (low_ == high_ || sigma_ == 0) return 1.0;
  // Only the two ends of the range come twice.
  const auto tail = [&](double distance) { return (1 - elementary::erf(distance / sigma_ / std::sqrt(2.0))) / 2; };
  const double below = tail(mu_ - low_), above = tail(high_ - mu_);
  return double(draws) * std::max(0.0, 1 - below - above) + share_of_bags(below, draws) + share_of_bags(above, draws);
}

}  // namespace tesserec::data
