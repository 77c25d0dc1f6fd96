// SPDX-License-Identifier: Apache-2.0
#include "growing_mark.hpp"

#include <utility>

namespace tesserec::tiers {
namespace {

/// Returns the ids that `now` lacks. Both are ordered by block, then id.
std::vector<Index> missing(const std::vector<Index>& then, const std::vector<IdUse>& now) {
  const auto place = [](Index id) { return std::pair(embedding::BlockOf::by_hash()(id), id); };
  std::vector<Index> ids;
  std::size_t at = 0;
  for (const Index id : then) {
    if (at < now.size() && now[at].id != id)
      for (const auto then_place = place(id); at < now.size() && place(now[at].id) < then_place;) ++at;
    if (at < now.size() && now[at].id == id)
      ++at;  // most ids stay, and need no hash
    else
      ids.push_back(id);
  }
  return ids;
}

}  // namespace

GrowthChange GrowthMark::until(const GrowthState& now) const {
  GrowthChange change{.batch = now.batch};
  for (std::size_t place = 0; place < now.rows.size(); ++place) {
    if (now.rows[place].last <= batch_) continue;
    change.rows.push_back(now.rows[place]);
    change.places.push_back(Index(place));
  }
  for (const IdUse& use : now.waiting)
    if (use.last > batch_) change.waiting.push_back(use);
  change.evicted = missing(rows_, now.rows);
  change.not_waiting = missing(waiting_, now.waiting);
  return change;
}

}  // namespace tesserec::tiers
