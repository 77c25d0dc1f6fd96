// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include <tesserec/core/kernel.hpp>
#include <tesserec/metrics/candidates.hpp>

namespace tesserec::metrics {
namespace {

constexpr Index block = 256;  // candidates scored at once

/// Computes scores[c] = query . candidate c, each one fma chain. candidates: [dim, block].
TESSEREC_KERNEL void products(Index dim, const float* query, const float* candidates, float* scores) {
  std::fill_n(scores, block, 0.0f);
  for (Index d = 0; d < dim; ++d)
    for (Index c = 0; c < block; ++c) scores[c] = std::fma(query[d], candidates[d * block + c], scores[c]);
}

/// Distinct candidate vectors in lexicographic order.
class Candidates {
 public:
  Candidates(Index dim, const std::vector<float>& vectors) : dim_(dim) {
    std::vector<Index> order(dim > 0 ? std::ssize(vectors) / dim : 0);
    std::iota(order.begin(), order.end(), Index{0});
    const auto at = [&](Index i) { return std::span<const float>(vectors.data() + i * dim, dim); };
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return before(at(a), at(b)); });
    for (std::size_t i = 0; i < order.size(); ++i)
      if (i == 0 || before(at(order[i - 1]), at(order[i]))) {
        if (count_ % block == 0) panels_.resize(panels_.size() + dim * block);
        for (Index d = 0; d < dim; ++d) panels_[(count_ / block * dim + d) * block + count_ % block] = at(order[i])[d];
        ++count_;
      }
  }

  /// Returns the probability that `item`, a candidate, is among the k best for `query`, with ties in random order.
  double hit_probability(std::span<const float> query, std::span<const float> item, Index k) const {
    std::array<float, block> scores;
    float own_score = 0;  // the same fma chain as products()
    for (Index d = 0; d < dim_; ++d) own_score = std::fma(query[d], item[d], own_score);
    Index higher = 0, equal = 0;
    for (Index first = 0; first < count_; first += block) {
      products(dim_, query.data(), panels_.data() + first * dim_, scores.data());
      for (Index c = 0; c < std::min(block, count_ - first); ++c) {
        higher += scores[c] > own_score;
        equal += scores[c] == own_score;
      }
    }
    if (equal == 0) return 0;  // the item's score is NaN
    return std::clamp(double(k - higher) / double(equal), 0.0, 1.0);
  }

 private:
  static bool before(std::span<const float> a, std::span<const float> b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }

  Index dim_, count_ = 0;
  std::vector<float> panels_;  // [count / block][dim][block]
};

}  // namespace

double candidate_recall(const comm::Communicator& comm, const TowerVectors& towers, std::span<const float> labels,
                        Index k) {
  const Index dim = towers.dim;
  assert(std::ssize(towers.items) == std::ssize(labels) * dim && towers.queries.size() == towers.items.size());
  const auto vector = [&](const std::vector<float>& vectors, std::size_t i) {
    return std::span<const float>(vectors.data() + i * dim, dim);
  };
  std::vector<float> clicked;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= click_threshold) {
      const auto item = vector(towers.items, i);
      clicked.insert(clicked.end(), item.begin(), item.end());
    }
  const Candidates candidates(dim, comm.all_gather(std::span<const float>(clicked)));
  FixedPoint sum;
  Index clicks = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= click_threshold) {
      sum.add(candidates.hit_probability(vector(towers.queries, i), vector(towers.items, i), k));
      ++clicks;
    }
  std::array<Unsigned128, 2> all = {static_cast<Unsigned128>(sum.units()), static_cast<Unsigned128>(clicks)};
  metrics::sum(comm, std::span<Unsigned128>(all));
  return all[1] == 0 ? SumMetrics::undefined : FixedPoint(Int128(all[0])).value() / double(all[1]);
}

}  // namespace tesserec::metrics
