// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::sharding {
namespace {

double rate(const ShardedEmbeddingBagCollection::Shard& shard, const optim::ScheduleSettings& schedule, Index step) {
  return optim::scheduled_rate(schedule, shard.rows->optimizer().lr, step);
}

}  // namespace

ShardedEmbeddingBagCollection::ShardedEmbeddingBagCollection(const Exec& exec, const comm::Communicator& comm,
                                                             std::vector<embedding::EmbeddingBagConfig> tables,
                                                             planning::ShardingPlan plan,
                                                             const std::vector<std::string>& features,
                                                             const Lanes& lanes, const optim::Settings& sparse,
                                                             const optim::Settings& dense)
    : comm_(comm),
      configs_(std::move(tables)),
      plan_(std::move(plan)),
      lanes_(lanes),
      exchanges_{Exchange(comm, configs_, plan_, features, lanes), Exchange(comm, configs_, plan_, features, lanes)} {
  std::vector<optim::Settings> optimizers;
  for (std::size_t t = 0; t < configs_.size(); ++t) {
    optimizers.push_back(planning::optimizer_of(configs_[t], plan_[t].kernel, sparse, dense));
    planning::check_kernel(configs_[t], plan_[t].kernel, optimizers[t]);  // on every rank, whoever owns the table
  }
  const auto make = [&](std::size_t t, const planning::Shard& shard, bool replicated) {
    shards_.push_back({t, replicated,
                       std::make_unique<embedding::EmbeddingTable>(exec, configs_[t], shard.blocks, shard.columns,
                                                                   optimizers[t], plan_[t].kernel)});
  };
  for (std::size_t t = 0; t < configs_.size(); ++t)
    for (const planning::Shard& shard : plan_[t].shards)
      if (shard.rank == comm.rank()) make(t, shard, false);
  for (std::size_t t = 0; t < configs_.size(); ++t)
    if (plan_[t].type == planning::ShardingType::data_parallel)
      make(t, planning::cut(configs_[t], 1, 1, std::vector<int>{comm.rank()}).front(), true);

  std::vector<bool> shared;
  for (std::size_t t = 0; t < configs_.size(); ++t) {
    const auto& shards = plan_[t].shards;
    shared.push_back(!shards.empty() && shards.front().columns.size() < configs_[t].embedding_dim &&
                     optim::sums_rows(optimizers[t].type));
  }
  if (std::find(shared.begin(), shared.end(), true) != shared.end()) row_squares_.emplace(comm, plan_, shared);
}

void ShardedEmbeddingBagCollection::initialise(const Exec& exec, std::uint64_t seed) {
  for (Shard& shard : shards_) shard.rows->initialise(exec, seed, static_cast<Index>(shard.table));
}

void ShardedEmbeddingBagCollection::lookup(const Exec& exec, const std::vector<AskedShard>& asked, float* rows) const {
  struct Task {
    std::size_t shard, run, feature;
    Index part;
  };
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < asked.size(); ++i)
    for (std::size_t run = 0; run < asked[i].bags.size(); ++run)
      for (std::size_t f = 0; f < asked[i].bags[run].size(); ++f)
        for (Index part = 0; part < embedding::EmbeddingTable::lookup_tasks(asked[i].bags[run][f]); ++part)
          tasks.push_back({i, run, f, part});
  parallel_for(exec, "tesserec::sharding::lookup", static_cast<Index>(tasks.size()), [&](Index t) {
    const auto [i, run, f, part] = tasks[static_cast<std::size_t>(t)];
    shards_[i].rows->lookup_task(part, asked[i].bags[run][f], asked[i].nodes[run][f], rows + asked[i].rows_at[run][f]);
  });
}

void ShardedEmbeddingBagCollection::prepare(const Exec& exec, const std::vector<AskedShard>& asked, Index global_size) {
  parallel_for(exec, "tesserec::sharding::prepare", static_cast<Index>(asked.size()), [&](Index i) {
    const AskedShard& ids = asked[static_cast<std::size_t>(i)];
    embedding::EmbeddingTable& table = *shards_[static_cast<std::size_t>(i)].rows;
    if (ids.fetched)
      table.prepare_sums(ids.sums);
    else
      table.prepare(ids.bags, lanes_, global_size);
  });
}

void ShardedEmbeddingBagCollection::update(const Exec& exec, const float* gradients,
                                           const optim::ScheduleSettings& schedule, Index step) {
  std::vector<Shard*> own;
  for (Shard& shard : shards_)
    if (!shard.rows->shares_rows() && !(shard.replicated && comm_.size() > 1)) own.push_back(&shard);
  // Every thread takes as much of every table: tables differ, their halves do not.
  const Index threads = concurrency(exec);
  parallel_for(exec, "tesserec::sharding::update", threads, [&](Index thread) {
    for (const Shard* shard : own)
      shard->rows->update_task(thread, threads, gradients, rate(*shard, schedule, step), step);
  });
  for (const Shard* shard : own) shard->rows->finish_update(exec, rate(*shard, schedule, step), step);
  if (row_squares_) update_shared(exec, gradients, schedule, step);
  if (comm_.size() > 1) update_replicated(exec, gradients, schedule, step);
}

void ShardedEmbeddingBagCollection::update_shared(const Exec& exec, const float* gradients,
                                                  const optim::ScheduleSettings& schedule, Index step) {
  std::vector<Shard*> shared;
  std::vector<std::vector<float>> squares;
  for (Shard& shard : shards_)
    if (shard.rows->shares_rows()) {
      shared.push_back(&shard);
      squares.push_back(shard.rows->sum_squares(exec, gradients, rate(shard, schedule, step), step));
    }
  const auto totals = row_squares_->totals(squares);
  for (std::size_t i = 0; i < shared.size(); ++i)
    shared[i]->rows->move_by_squares(exec, totals[i].data(), rate(*shared[i], schedule, step), step);
}

void ShardedEmbeddingBagCollection::update_replicated(const Exec& exec, const float* gradients,
                                                      const optim::ScheduleSettings& schedule, Index step) {
  // One message of each kind for all replicated tables; every rank has the same tables in the same order.
  std::vector<Index> counts, keys;
  std::vector<float> sums;
  for (const Shard& shard : shards_) {
    if (!shard.replicated) continue;
    const auto mine = shard.rows->sum_gradients(gradients, lanes_.of_rank(comm_.rank(), comm_.size()));
    counts.push_back(static_cast<Index>(mine.rows.size()));
    keys.insert(keys.end(), mine.rows.begin(), mine.rows.end());
    keys.insert(keys.end(), mine.leaves.begin(), mine.leaves.end());
    sums.insert(sums.end(), mine.sums.begin(), mine.sums.end());
  }
  if (counts.empty()) return;
  const std::vector<Index> all_counts = comm_.all_gather(std::span<const Index>(counts));
  const std::vector<Index> all_keys = comm_.all_gather(std::span<const Index>(keys));
  const std::vector<float> all_sums = comm_.all_gather(std::span<const float>(sums));

  std::vector<Shard*> replicated;
  for (Shard& shard : shards_)
    if (shard.replicated) replicated.push_back(&shard);
  std::vector<std::vector<embedding::RowUse>> uses(replicated.size());
  auto key = all_keys.begin();
  Index sum = 0;
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    const std::size_t table = i % replicated.size();
    for (Index n = 0; n < all_counts[i]; ++n, sum += replicated[table]->rows->dim())
      uses[table].push_back({key[n], sum, static_cast<std::int32_t>(key[all_counts[i] + n]), 1.0f});
    key += 2 * all_counts[i];
  }
  for (std::size_t i = 0; i < replicated.size(); ++i) {
    replicated[i]->rows->prepare_sums(uses[i]);
    replicated[i]->rows->update(exec, all_sums.data(), rate(*replicated[i], schedule, step), step);
  }
}

}  // namespace tesserec::sharding
