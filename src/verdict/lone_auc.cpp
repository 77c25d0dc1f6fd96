// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include <tesserec/verdict/judge.hpp>

namespace tesserec::verdict {
namespace {

constexpr double fewest_labels = 20;  // rows of a label below which an AUC may be chance

/// Score of a row with its labels.
struct ScoredRow {
  double score;
  std::array<Index, 2> labels;
};

/// Returns the AUC, or 1 minus it if that is larger.
double auc_of(std::vector<ScoredRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const ScoredRow& a, const ScoredRow& b) { return a.score < b.score; });
  double below = 0, clicks = 0, ordered = 0;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    double tied = 0, tied_clicks = 0;
    for (; end < rows.size() && rows[end].score == rows[begin].score; ++end) {
      tied += double(rows[end].labels[0]);
      tied_clicks += double(rows[end].labels[1]);
    }
    ordered += tied_clicks * (below + tied / 2);
    below += tied;
    clicks += tied_clicks;
  }
  if (below < fewest_labels || clicks < fewest_labels) return 0.5;
  const double auc = ordered / (below * clicks);
  return std::max(auc, 1 - auc);
}

/// Click rates of a feature's ids, drawn towards the mean by one row.
class IdRates {
 public:
  void learn(Index id, const std::array<Index, 2>& labels) {
    std::array<double, 2>& counts = counts_[id];
    for (std::size_t label = 0; label < 2; ++label) {
      counts[label] += double(labels[label]);
      all_[label] += double(labels[label]);
    }
  }
  double rate(Index id) const {
    const double mean = all_[1] / std::max(all_[0] + all_[1], 1.0);
    const auto found = counts_.find(id);
    if (found == counts_.end()) return mean;
    return (found->second[1] + mean) / (found->second[0] + found->second[1] + 1);
  }

 private:
  std::unordered_map<Index, std::array<double, 2>> counts_;
  std::array<double, 2> all_{};
};

/// Calls use(id) for each id of a row's bag, or for -1 if it is empty. Returns the number of calls.
template <class Use>
Index for_each_id(const SampledRow& row, std::size_t feature, const Use& use) {
  const Index begin = feature == 0 ? 0 : row.bag_ends[feature - 1], end = row.bag_ends[feature];
  for (Index v = begin; v < end; ++v) use(row.ids[std::size_t(v)]);
  if (begin == end) use(Index{-1});
  return std::max(end - begin, Index{1});
}

}  // namespace

double lone_auc(const std::vector<SampledRow>& rows, std::size_t dense, std::size_t column) {
  std::vector<ScoredRow> scored;
  if (column < dense) {
    for (const SampledRow& row : rows) scored.push_back({row.dense[column], row.labels});
    return auc_of(std::move(scored));
  }
  const std::size_t feature = column - dense;
  const auto teaches = [](const SampledRow& row) { return row.digest % 2 == 0; };
  IdRates rates;
  for (const SampledRow& row : rows)
    if (teaches(row)) for_each_id(row, feature, [&](Index id) { rates.learn(id, row.labels); });
  for (const SampledRow& row : rows) {
    if (teaches(row)) continue;
    double sum = 0;
    const Index ids = for_each_id(row, feature, [&](Index id) { sum += rates.rate(id); });
    scored.push_back({sum / double(ids), row.labels});
  }
  return auc_of(std::move(scored));
}

}  // namespace tesserec::verdict
