// SPDX-License-Identifier: Apache-2.0
/// Lists of ids of a state, or of its changes, which become ids of a growing table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "growing_admission.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::tiers {

/// Throws Error unless ids of a table are of the blocks of its rows, and ordered by block, then id.
template <class Ids>
void check_order(const std::string& table, const BlockIds& rows, Index blocks, const Ids& ids) {
  std::pair<Index, Index> before{-1, 0};
  for (const Index id : ids) {
    const std::pair place{rows.block(embedding::BlockOf::mixed(id)), id};
    if (place.first < 0 || place.first >= blocks || place <= before)
      fail("table ", table, ": id ", id, " is not of the shard's blocks, or out of order");
    before = place;
  }
}

/// Adds ids of a state to those that wait. In a full block others leave for them.
inline void add_waiting(BlockIds& waiting, std::vector<IdUse> uses) {
  std::ranges::sort(uses, {}, [](const IdUse& use) { return std::tuple(use.batches, use.last, use.id); });
  std::vector<Index> none;
  for (const IdUse& use : uses) {
    const std::uint64_t hash = embedding::BlockOf::mixed(use.id);
    const Index block = waiting.block(hash);
    if (waiting.full(block))
      waiting.erase(block, waiting.next_to_leave(block, std::numeric_limits<Index>::max(), none));
    waiting.insert(hash, use);
  }
}

/// Adds an id of a state to the rows of a table. Throws Error if its block is full.
inline void add_row(const std::string& table, const IdUse& use, BlockIds& rows, const StartRows& start) {
  const std::uint64_t hash = embedding::BlockOf::mixed(use.id);
  const Index block = rows.block(hash);
  if (rows.full(block))
    fail("table ", table, ": a block has more ids than the ", rows.places().size(block),
         " rows that it has now; set table.", table, ".rows higher, at least to its number when the state was saved");
  const NewRow row{rows.insert(hash, use), use.id};
  start({&row, 1});
}

/// Removes an id. Returns false if it is not there.
inline bool remove_id(BlockIds& from, Index id) {
  const std::uint64_t hash = embedding::BlockOf::mixed(id);
  const Index place = from.find(id, hash);
  if (place >= 0) from.erase(from.block(hash), place);
  return place >= 0;
}

}  // namespace tesserec::tiers
