// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <tesserec/sweep/metric.hpp>
#include <tesserec/sweep/sweep.hpp>

namespace tesserec::sweep {

bool Sweep::more_is_better() const { return sweep::more_is_better(settings.metric); }

std::optional<double> Sweep::value(Index point, std::size_t rung) const {
  const Run& run = runs[point];
  if (!run.record || run.record->outcomes.size() <= rung) return std::nullopt;
  return value_of(run.record->outcomes[rung], settings.metric, run.folder);
}

const Outcome* Sweep::last(Index point) const {
  const auto& record = runs[point].record;
  return record && !record->outcomes.empty() ? &record->outcomes.back() : nullptr;
}

double Sweep::last_value(Index point) const {
  const Outcome* outcome = last(point);
  return outcome == nullptr ? std::nan("") : value_of(*outcome, settings.metric, runs[point].folder);
}

Standing Sweep::standing() const {
  return sweep::standing(
      settings.halving, rungs.size(), std::ssize(runs),
      [&](Index point, std::size_t rung) { return value(point, rung); }, more_is_better());
}

std::string state(const Sweep& sweep, const Standing& standing, Index point) {
  const auto& record = sweep.runs[point].record;
  if (!record) return "missing";
  if (const Outcome* outcome = sweep.last(point); outcome != nullptr && !outcome->diverged.empty()) return "diverged";
  if (record->outcomes.size() >= sweep.rungs.size()) return "done";
  return standing.is_in(record->outcomes.size(), point) || record->outcomes.empty() ||
                 standing.open() < record->outcomes.size()
             ? "started"
             : "stopped";
}

std::vector<Index> of_other_data(const Sweep& sweep) {
  std::vector<Index> points;
  for (Index i = 0; i < std::ssize(sweep.runs); ++i) {
    const Run& run = sweep.runs[i];
    if (sweep.last(i) == nullptr || run.record->data_digest.empty() || run.data_digest.empty()) continue;
    if (run.record->data_digest != run.data_digest) points.push_back(i);
  }
  return points;
}

std::vector<Index> order(const Sweep& sweep) {
  std::vector<Index> all(sweep.runs.size());
  std::iota(all.begin(), all.end(), Index{0});
  const auto ended = [&](Index point) {
    const auto& record = sweep.runs[point].record;
    return record && std::isfinite(sweep.last_value(point)) ? record->outcomes.size() : 0;
  };
  const double sign = sweep.more_is_better() ? 1 : -1;
  std::stable_sort(all.begin(), all.end(), [&](Index a, Index b) {
    if (ended(a) != ended(b)) return ended(a) > ended(b);
    return ended(a) > 0 && sign * sweep.last_value(a) > sign * sweep.last_value(b);
  });
  return all;
}

}  // namespace tesserec::sweep
