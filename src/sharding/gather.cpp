// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/comm/same.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/sharding/distributed_model_parallel.hpp>

namespace tesserec::sharding {
namespace {

using embedding::EmbeddingBagConfig;

std::size_t place_of(const std::vector<EmbeddingBagConfig>& tables, const std::string& name) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const auto& table) { return table.name == name; });
  if (found == tables.end())
    fail("there is no table \"", name, "\"; the model has ", join(tables, ", ", &EmbeddingBagConfig::name));
  return found - tables.begin();
}

}  // namespace

std::vector<float> DistributedModelParallel::gather(const Exec& exec, const std::string& table,
                                                    std::optional<int> root) const {
  comm::require_same(env_, comm::NamedValues().add("table", table).add("root", root).list(),
                     "all ranks gather the same table, to the same rank");
  if (root && (*root < 0 || *root >= env_.size())) fail("root = ", *root, ": there are ", counted(env_.size(), "rank"));
  const std::size_t t = place_of(tables_.tables(), table);
  const EmbeddingBagConfig& config = tables_.tables()[t];
  const bool receives = !root || *root == env_.rank();

  std::vector<float> mine;  // this rank's shards, one after the other
  for (const ShardedEmbeddingBagCollection::Shard& shard : tables_.shards()) {
    if (shard.table != t) continue;
    const PlacedMatrix<float>& weights = shard.rows->weights();
    const std::size_t at = mine.size();
    mine.resize(at + weights.size());
    copy(exec, weights.place(), weights.data(), Place::host, mine.data() + at, std::ssize(mine) - Index(at));
  }
  const std::vector<planning::Shard>& shards = plan()[t].shards;
  if (shards.empty()) return receives ? mine : std::vector<float>();  // data-parallel: whole on every rank

  const embedding::RowBlocks blocks(config.num_embeddings);
  std::vector<Index> counts(env_.size());
  for (const planning::Shard& shard : shards)
    counts[shard.rank] += blocks.rows(shard.blocks).size() * shard.columns.size();
  std::vector<std::vector<float>> sent(env_.size()), parts(env_.size());
  for (int rank = 0; rank < env_.size(); ++rank) {
    if (!root || *root == rank) sent[rank] = mine;
    if (receives) parts[rank].resize(counts[rank]);
  }
  env_.all_to_all(sent, parts);
  if (!receives) return {};

  std::vector<float> all(config.num_embeddings * config.embedding_dim);
  std::vector<const float*> from;
  for (const std::vector<float>& part : parts) from.push_back(part.data());
  for (const planning::Shard& shard : shards) {
    const Range rows = blocks.rows(shard.blocks);
    for (Index row = rows.begin; row < rows.end; ++row, from[shard.rank] += shard.columns.size())
      std::copy_n(from[shard.rank], shard.columns.size(),
                  all.data() + row * config.embedding_dim + shard.columns.begin);
  }
  return all;
}

}  // namespace tesserec::sharding
