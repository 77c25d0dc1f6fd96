// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <tesserec/sweep/halving.hpp>

namespace tesserec::sweep {

std::vector<Index> rungs(const Halving& halving, Index last) {
  std::vector<Index> steps;
  Index at = halving.first_steps > 0 ? halving.first_steps : last;
  while (at < last) {
    steps.push_back(at);
    at = std::min(at, last / halving.eta + 1) * halving.eta;  // min() avoids an overflow
  }
  steps.push_back(last);
  return steps;
}

std::vector<Index> ranked(std::vector<Index> among, const std::function<double(Index)>& value, bool more_is_better) {
  std::erase_if(among, [&](Index point) { return !std::isfinite(value(point)); });
  std::stable_sort(among.begin(), among.end(),
                   [&](Index a, Index b) { return more_is_better ? value(a) > value(b) : value(a) < value(b); });
  return among;
}

bool Standing::is_in(std::size_t rung, Index point) const {
  return rung < in.size() && std::binary_search(in[rung].begin(), in[rung].end(), point);
}

Standing standing(const Halving& halving, std::size_t rungs, Index points,
                  const std::function<std::optional<double>(Index point, std::size_t rung)>& value,
                  bool more_is_better) {
  Standing result;
  result.in.emplace_back(points);
  std::iota(result.in[0].begin(), result.in[0].end(), Index{0});
  for (std::size_t rung = 0; rung < rungs; ++rung) {
    const std::vector<Index>& members = result.in[rung];
    for (const Index point : members)
      if (!value(point, rung)) result.waiting.push_back(point);
    if (!result.waiting.empty() || rung + 1 == rungs) break;
    const Index places = std::max(Index{1}, std::ssize(members) / halving.eta);
    std::vector<Index> best = ranked(
        members, [&](Index point) { return *value(point, rung); }, more_is_better);
    best.resize(std::min(places, std::ssize(best)));
    if (best.empty()) break;  // all points have diverged
    std::sort(best.begin(), best.end());
    result.in.push_back(std::move(best));
  }
  return result;
}

}  // namespace tesserec::sweep
