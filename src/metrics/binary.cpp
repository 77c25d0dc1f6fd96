// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <span>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/binary.hpp>
#include <tesserec/metrics/sample_sums.hpp>

namespace tesserec::metrics {
namespace {

/// Operands of AUC and AUPRC. A weight of 1 is 2^32 units, or one unit if there are no weights.
struct Ranking {
  Unsigned128 half_pairs = 0;  ///< sum over pairs: 2 if the click scores higher, 1 if equal, times both units
  FixedPoint precisions;       ///< sum over clicks of weight times precision at the click's score
  Index clicks = 0;
  Index others = 0;
  double unit = 1;  ///< weight of one unit

  /// Returns NaN unless both classes occur.
  double auc() const;
  /// Returns NaN without a click.
  double auprc() const;
};

/// Bound on the sum of all weights, below which the sum of their units fits into an Index.
inline constexpr double weight_limit = 0x1p30;

constexpr double units = 0x1p32;  // units of a weight of 1

// Samples of equal score and label. The bits of a nonnegative double ascend with its value.
struct Run {
  std::uint64_t key;  // score bits * 2 + click
  Index count;        // units of the samples
};

bool by_key(const Run& a, const Run& b) { return a.key < b.key; }

std::uint64_t score_of(const Run& run) { return run.key >> 1; }

std::vector<Run> sorted_runs(std::span<const double> scores, std::span<const float> labels,
                             std::span<const float> weights) {
  std::vector<Run> runs(scores.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::uint64_t click = labels[i] >= click_threshold ? 1 : 0;
    // + 0.0 turns -0 into +0.
    runs[i] = {std::bit_cast<std::uint64_t>(scores[i] + 0.0) << 1 | click,
               weights.empty() ? 1 : std::llrint(weights[i] * units)};
  }
  std::sort(runs.begin(), runs.end(), by_key);
  std::size_t last = 0;
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].key == runs[last].key)
      runs[last].count += runs[i].count;
    else
      runs[++last] = runs[i];
  if (!runs.empty()) runs.resize(last + 1);
  runs.shrink_to_fit();
  return runs;
}

// Returns the first scores of ranks 1, 2, ...: quantiles of a sample to which each rank contributes in proportion to
// its runs. Collective.
std::vector<std::uint64_t> split_scores(const comm::Communicator& comm, const std::vector<Run>& runs) {
  const Index local = std::ssize(runs);
  const Index all = std::max<Index>(1, comm.sum(local));
  const Index sampled = std::min(local, (local * 1024 * comm.size() + all - 1) / all);
  std::vector<std::uint64_t> sample;
  for (Index i = 0; i < sampled; ++i) sample.push_back(score_of(runs[i * local / sampled]));
  sample = comm.all_gather(std::span<const std::uint64_t>(sample));
  std::sort(sample.begin(), sample.end());
  std::vector<std::uint64_t> first(comm.size() - 1);
  for (std::size_t r = 0; r < first.size(); ++r)
    first[r] = sample.empty() ? 0 : sample[(r + 1) * sample.size() / comm.size()];
  return first;
}

// Returns all ranks' runs in this rank's range of scores, sorted. Collective.
std::vector<Run> exchange_ranges(const comm::Communicator& comm, std::vector<Run> runs) {
  if (comm.size() == 1) return runs;
  std::vector<Index> send_counts;
  auto from = runs.begin();
  for (const std::uint64_t first : split_scores(comm, runs)) {
    const auto to = std::lower_bound(from, runs.end(), first,
                                     [](const Run& run, std::uint64_t score) { return score_of(run) < score; });
    send_counts.push_back(to - from);
    from = to;
  }
  send_counts.push_back(runs.end() - from);
  const std::vector<Index> recv_counts = comm.all_to_all(std::span<const Index>(send_counts));
  std::vector<std::size_t> ends = {0};
  for (const Index count : recv_counts) ends.push_back(ends.back() + count);
  std::vector<Run> range(ends.back());
  comm.all_to_all(runs.data(), std::span<const Index>(send_counts), range.data(), std::span<const Index>(recv_counts));
  runs = {};
  // The runs received from each rank are sorted. Adjacent sequences of runs are merged until one is left.
  const auto at = [&](std::size_t end) { return range.begin() + end; };
  for (std::size_t width = 1; width + 1 < ends.size(); width *= 2)
    for (std::size_t i = 0; i + width + 1 < ends.size(); i += 2 * width)
      std::inplace_merge(at(ends[i]), at(ends[i + width]), at(ends[std::min(i + 2 * width, ends.size() - 1)]), by_key);
  return range;
}

struct Classes {
  Index clicks = 0, others = 0;
};

Classes count_classes(const std::vector<Run>& runs) {
  Classes count;
  for (const Run& run : runs) (run.key & 1 ? count.clicks : count.others) += run.count;
  return count;
}

// Ranks the samples of one range of scores. `below` counts the units in lower ranges, `all` those in all ranges.
Ranking rank_range(const std::vector<Run>& runs, Classes below, Classes all, double unit) {
  Ranking ranking{0, {}, all.clicks, all.others, unit};
  for (std::size_t i = 0; i < runs.size();) {
    Index tied[2] = {0, 0};  // non-clicks, clicks
    const std::uint64_t score = score_of(runs[i]);
    const Index clicks = all.clicks - below.clicks, others = all.others - below.others;  // scored as high or higher
    for (; i < runs.size() && score_of(runs[i]) == score; ++i) tied[runs[i].key & 1] += runs[i].count;
    ranking.half_pairs += static_cast<Unsigned128>(tied[1]) * static_cast<Unsigned128>(2 * below.others + tied[0]);
    if (tied[1] > 0) ranking.precisions.add(unit * double(tied[1]) * (double(clicks) / double(clicks + others)));
    below.clicks += tied[1];
    below.others += tied[0];
  }
  return ranking;
}

double Ranking::auc() const {
  if (clicks == 0 || others == 0) return SumMetrics::undefined;
  const Unsigned128 all = 2 * static_cast<Unsigned128>(clicks) * static_cast<Unsigned128>(others);
  return double(half_pairs) / double(all);
}

double Ranking::auprc() const {
  return clicks == 0 ? SumMetrics::undefined : precisions.value() / (unit * double(clicks));
}

// Ranks the samples of all ranks. Scores must be nonnegative and not NaN. Weights are rounded to units. Collective.
Ranking rank_samples(const comm::Communicator& comm, std::span<const double> scores, std::span<const float> labels,
                     std::span<const float> weights) {
  const std::vector<Run> runs = exchange_ranges(comm, sorted_runs(scores, labels, weights));
  const std::vector<Classes> ranges = comm.all_gather(count_classes(runs));
  Classes below, all;
  for (int r = 0; r < comm.size(); ++r) {
    if (r == comm.rank()) below = all;
    all.clicks += ranges[r].clicks;
    all.others += ranges[r].others;
  }
  const bool weighted = comm.sum(std::ssize(weights)) > 0;
  Ranking ranking = rank_range(runs, below, all, weighted ? 1 / units : 1);
  ranking.half_pairs = sum(comm, ranking.half_pairs);
  ranking.precisions = sum(comm, ranking.precisions);
  return ranking;
}

// Largest weight that AUC and AUPRC round to 0: half a unit (Ranking).
constexpr float lost_weight = 0x1p-33f;

// Throws the same Error on all ranks if a value of any rank is invalid. Warns of weights that round to 0. Collective.
void require_numbers(const comm::Communicator& comm, std::span<const double> probabilities,
                     std::span<const float> labels, std::span<const float> weights) {
  Index bad[5] = {0, 0, 0, 0, 0};
  for (const double p : probabilities) bad[0] += !(p >= 0 && p <= 1);
  for (const float y : labels) bad[1] += !(y >= 0 && y <= 1);
  double weight = 0;
  for (const float w : weights) {
    bad[2] += !(w >= 0);
    bad[4] += w > 0 && w <= lost_weight;
    weight += std::max(w, 0.0f);
  }
  bad[3] = Index(std::ceil(std::min(weight, weight_limit)));
  comm.sum(std::span<Index>(bad));
  if (bad[0] > 0)
    throw Diverged(
        concat("metrics: ", bad[0], " probabilities are not numbers in [0, 1]: the model's scores are not finite"));
  if (bad[1] > 0) fail("metrics: ", bad[1], " labels are not numbers in [0, 1]; correct the labels");
  if (bad[2] > 0) fail("metrics: ", bad[2], " weights are negative or not numbers; correct the weights");
  if (double(bad[3]) >= weight_limit)
    fail("metrics: the samples' weights sum to ", Index(weight_limit), " or more; divide them by a constant");
  if (bad[4] > 0 && comm.rank() == 0)
    log_warning(
        concat("metrics: ", counted(bad[4], "sample"), bad[4] == 1 ? " has" : " have",
               " a weight of 2^-33 or less, which counts as 0 in AUC and AUPRC; multiply all weights by a constant"));
}

}  // namespace

BinaryMetrics binary_metrics(const comm::Communicator& comm, std::span<const double> probabilities,
                             std::span<const float> labels, std::span<const float> weights, double threshold) {
  assert(probabilities.size() == labels.size());
  require_numbers(comm, probabilities, labels, weights);
  SampleSums sums;
  sums.add(probabilities, labels, weights, threshold);
  const Ranking ranking = rank_samples(comm, probabilities, labels, weights);
  return {sums.over_ranks(comm).metrics(),        {}, {}, ranking.auc(), ranking.auprc(),
          score_bins(comm, probabilities, labels)};
}

}  // namespace tesserec::metrics
