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
  const auto found = std::ranges::find(tables, name, &EmbeddingBagConfig::name);
  if (found == tables.end())
    fail("there is no table \"", name, "\"; name one of ", join(tables, ", ", &EmbeddingBagConfig::name));
  return found - tables.begin();
}

/// Lists the runs of consecutive rows that lie in some blocks, in order.
std::vector<Range> rows_of(const EmbeddingBagConfig& table, Range blocks) {
  if (table.block_by == embedding::BlockBy::rows) return {table.rows(blocks)};
  const embedding::BlockOf block_of = table.block_of();
  std::vector<Range> runs;
  for (Index row = 0; row < table.rows().end; ++row) {
    if (!blocks.contains(block_of(row))) continue;
    if (runs.empty() || runs.back().end < row) runs.push_back({row, row});
    runs.back().end = row + 1;
  }
  return runs;
}

}  // namespace

std::vector<float> gather(const Exec& exec, const DistributedModelParallel& model, const std::string& table,
                          std::optional<int> root) {
  const ShardingEnv& env = model.env();
  comm::require_same(env, comm::NamedValues().add("table", table).add("root", root).list(),
                     "gather the same table to the same root on all ranks");
  if (root && (*root < 0 || *root >= env.size()))
    fail("root = ", *root, " is not a rank; set root to 0 to ", env.size() - 1);
  const std::size_t t = place_of(model.tables().tables(), table);
  const EmbeddingBagConfig& config = model.tables().tables()[t];
  const bool receives = !root || *root == env.rank();

  const bool in_first_group = env.rank() < env.size() / planning::replicas(model.plan());
  const bool sends = model.plan()[t].shards.empty() || in_first_group;
  std::vector<float> own_rows;  // rows of this rank's shards, shard by shard
  for (const ShardedEmbeddingBagCollection::Shard& shard : model.tables().shards()) {
    if (shard.table != t || !sends) continue;
    for (const Range run : rows_of(config, shard.rows->blocks())) {
      const std::size_t at = own_rows.size();
      own_rows.resize(at + run.size() * shard.rows->dim());
      shard.rows->store().read(exec, 0, run, own_rows.data() + at);
    }
  }
  const std::vector<planning::Shard>& shards = model.plan()[t].shards;  // on the ranks of the first replica group
  if (shards.empty())
    return receives ? own_rows : std::vector<float>();  // data-parallel: every rank holds the whole table

  std::vector<Index> counts(env.size());
  for (const planning::Shard& shard : shards)
    for (const Range run : rows_of(config, shard.blocks)) counts[shard.rank] += run.size() * shard.columns.size();
  std::vector<std::vector<float>> sent(env.size()), received(env.size());
  for (int rank = 0; rank < env.size(); ++rank) {
    if ((!root || *root == rank) && in_first_group) sent[rank] = own_rows;
    if (receives) received[rank].resize(counts[rank]);
  }
  env.all_to_all(sent, received);
  if (!receives) return {};

  std::vector<float> result(config.weights());
  std::vector<const float*> from;
  for (const std::vector<float>& rank_rows : received) from.push_back(rank_rows.data());
  for (const planning::Shard& shard : shards)
    for (const Range run : rows_of(config, shard.blocks))
      for (Index row = run.begin; row < run.end; ++row) {
        float* const to = result.data() + row * config.embedding_dim + shard.columns.begin;
        std::copy_n(from[shard.rank], shard.columns.size(), to);
        from[shard.rank] += shard.columns.size();
      }
  return result;
}

}  // namespace tesserec::sharding
