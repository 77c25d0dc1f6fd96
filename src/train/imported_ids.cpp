// SPDX-License-Identifier: Apache-2.0
#include "imported_ids.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "growing_state.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::train {
namespace {

/// Returns the places of ids in the order of a growing table's rows.
std::vector<Index> places_in_order(const std::vector<Index>& ids) {
  const embedding::BlockOf block_of = embedding::BlockOf::by_hash();
  std::vector<Index> places(ids.size());
  std::iota(places.begin(), places.end(), Index{0});
  std::ranges::sort(places, {}, [&](Index place) { return std::pair(block_of(ids[place]), ids[place]); });
  return places;
}

/// Gives a shard those ids that are of its blocks.
void take_ids(const std::vector<Index>& ids, const std::vector<Index>& places,
              const sharding::ShardedEmbeddingBagCollection::Shard& shard) {
  const embedding::BlockOf block_of = embedding::BlockOf::by_hash();
  const Range blocks = shard.rows->blocks();
  tiers::GrowthState state;
  for (const Index place : places)
    if (const Index block = block_of(ids[place]); blocks.begin <= block && block < blocks.end)
      state.rows.push_back({.id = ids[place], .last = 0, .batches = 1});
  growing_store(shard).restore(state);
}

}  // namespace

void take_ids(const Session& session, MatchedTensors& matched) {
  const auto& tables = session.model.tables();
  for (std::size_t t = 0; t < tables.tables().size(); ++t) {
    const std::string& name = tables.tables()[t].name;
    const auto found = matched.ids.find(name);
    if (found == matched.ids.end()) continue;
    const store::StoredTensor& tensor = found->second;
    std::vector<Index> ids(std::size_t(tensor.count()));
    store::read_integers(tensor, {0, tensor.count()}, ids.data());
    const std::vector<Index> places = places_in_order(ids);
    MatchedTensor& weight = matched.of_matrix.at(item_name(name, "weight"));
    weight.our_row.resize(ids.size());
    for (std::size_t row = 0; row < places.size(); ++row) {
      weight.our_row[places[row]] = Index(row);
      if (row > 0 && ids[places[row]] == ids[places[row - 1]])
        fail(tensor.path, ": tensor ", tensor.name, " has the id ", ids[places[row]], " twice, in rows ",
             std::min(places[row - 1], places[row]), " and ", std::max(places[row - 1], places[row]),
             "; give each id one row");
    }
    if (std::ranges::is_sorted(weight.our_row)) weight.our_row.clear();
    for (const auto& shard : tables.shards())
      if (shard.table == t) take_ids(ids, places, shard);
  }
}

}  // namespace tesserec::train
