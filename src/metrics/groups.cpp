// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>
#include <vector>

#include <tesserec/core/elementary.hpp>
#include <tesserec/metrics/groups.hpp>

namespace tesserec::metrics {
namespace {

struct Sample {
  Index group;
  double score;
  float label;

  bool is_click() const { return label >= click_threshold; }
};

bool in_order(const Sample& a, const Sample& b) {
  return std::tie(a.group, b.score, b.label) < std::tie(b.group, a.score, a.label);
}

int home(const comm::Communicator& comm, Index group) {
  return int((std::uint64_t(group) * 0x9E3779B97F4A7C15 >> 32) % std::uint64_t(comm.size()));
}

/// Gathers all ranks' samples of the groups whose home is this rank, sorted by group and descending score. Collective.
std::vector<Sample> gather_groups(const comm::Communicator& comm, std::span<const Index> groups,
                                  std::span<const double> scores, std::span<const float> labels) {
  std::vector<Index> send_counts(comm.size());
  for (const Index group : groups) ++send_counts[home(comm, group)];
  std::vector<Index> next(comm.size());
  for (std::size_t r = 1; r < next.size(); ++r) next[r] = next[r - 1] + send_counts[r - 1];
  std::vector<Sample> sent(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    sent[next[home(comm, groups[i])]++] = {groups[i], scores[i], labels[i]};
  const std::vector<Index> recv_counts = comm.all_to_all(std::span<const Index>(send_counts));
  std::vector<Sample> received(std::accumulate(recv_counts.begin(), recv_counts.end(), Index{0}));
  comm.all_to_all(sent.data(), std::span<const Index>(send_counts), received.data(),
                  std::span<const Index>(recv_counts));
  std::sort(received.begin(), received.end(), in_order);
  return received;
}

/// Samples of equal score, below `first` samples of their group.
struct Tie {
  Index first = 0, clicks = 0, others = 0;
  double labels = 0;  // sum of the labels, in order

  Index size() const { return clicks + others; }
};

std::vector<Tie> ties_of(std::span<const Sample> group) {
  std::vector<Tie> ties;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (i == 0 || group[i].score != group[i - 1].score) ties.emplace_back().first = Index(i);
    ++(group[i].is_click() ? ties.back().clicks : ties.back().others);
    ties.back().labels += group[i].label;
  }
  return ties;
}

double auc_of(const std::vector<Tie>& ties, Index clicks, Index others) {
  Unsigned128 half_pairs = 0;
  Index above = 0;  // clicks scored higher
  for (const Tie& tie : ties) {
    half_pairs += static_cast<Unsigned128>(tie.others) * static_cast<Unsigned128>(2 * above + tie.clicks);
    above += tie.clicks;
  }
  return double(half_pairs) / (2 * double(clicks) * double(others));
}

/// Returns 1 / log2(1 + place) for the places 1, 2, ..., `count`.
std::vector<double> discounts(Index count) {
  std::vector<double> values(count);
  for (Index i = 0; i < count; ++i) values[i] = elementary::log(2.0) / elementary::log(double(i + 2));
  return values;
}

/// Returns the NDCG of the first `discount.size()` places.
double ndcg_of(std::span<const Sample> group, const std::vector<Tie>& ties, std::span<const double> discount) {
  const Index places = std::min(std::ssize(group), std::ssize(discount));
  double gained = 0, ideal = 0;
  for (const Tie& tie : ties) {
    double sum = 0;
    for (Index place = tie.first; place < std::min(places, tie.first + tie.size()); ++place) sum += discount[place];
    gained += sum * (tie.labels / double(tie.size()));
  }
  std::vector<float> labels;
  for (const Sample& sample : group) labels.push_back(sample.label);
  std::sort(labels.begin(), labels.end(), std::greater<float>());
  for (Index place = 0; place < places; ++place) ideal += discount[place] * labels[place];
  return gained / ideal;
}

/// Returns the expected share of clicks among the k highest scores, with ties in random order.
double recall_of(const std::vector<Tie>& ties, Index clicks, Index k) {
  double found = 0;
  for (const Tie& tie : ties)
    if (tie.first < k) found += double(tie.clicks) * double(std::min(k - tie.first, tie.size())) / double(tie.size());
  return found / double(clicks);
}

/// Mean over groups, from exact sums of weighted values in [0, 1] and of weights.
struct Mean {
  Unsigned128 sum = 0, weights = 0;

  void add(double value, Index weight) {
    FixedPoint term;
    term.add(value * double(weight));
    sum += static_cast<Unsigned128>(term.units());
    weights += static_cast<Unsigned128>(weight);
  }
  double over_ranks(const comm::Communicator& comm) const {
    std::array<Unsigned128, 2> all = {sum, weights};
    metrics::sum(comm, std::span<Unsigned128>(all));
    return all[1] == 0 ? SumMetrics::undefined : FixedPoint(Int128(all[0])).value() / double(all[1]);
  }
};

}  // namespace

GroupMetrics group_metrics(const comm::Communicator& comm, std::span<const Index> groups,
                           std::span<const double> probabilities, std::span<const float> labels, Index k,
                           GroupWeight weight) {
  assert(groups.size() == probabilities.size() && groups.size() == labels.size());
  const std::vector<Sample> samples = gather_groups(comm, groups, probabilities, labels);
  const std::vector<double> discount = discounts(std::min(k, std::ssize(samples)));
  Mean gauc, ndcg, recall;
  for (auto begin = samples.begin(); begin != samples.end();) {
    const auto end = std::find_if(begin, samples.end(), [&](const Sample& s) { return s.group != begin->group; });
    const std::span<const Sample> group(begin, end);
    const std::vector<Tie> ties = ties_of(group);
    const Index clicks = std::count_if(begin, end, [](const Sample& sample) { return sample.is_click(); });
    const Index others = std::ssize(group) - clicks;
    const bool gains = std::any_of(begin, end, [](const Sample& sample) { return sample.label > 0; });
    if (clicks > 0 && others > 0)
      gauc.add(auc_of(ties, clicks, others), weight == GroupWeight::equal ? 1 : std::ssize(group));
    if (gains) ndcg.add(ndcg_of(group, ties, discount), 1);
    if (clicks > 0) recall.add(recall_of(ties, clicks, k), 1);
    begin = end;
  }
  return {gauc.over_ranks(comm), ndcg.over_ranks(comm), recall.over_ranks(comm)};
}

}  // namespace tesserec::metrics
