// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include "exchange.hpp"
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
      plan_(std::move(plan)),
      lanes_(lanes),
      routes_(std::make_unique<Routes>(comm.rank(), comm.size(), std::move(tables), plan_, features)),
      spare_(std::make_shared<SpareExchanges>()) {
  std::vector<optim::Settings> optimizers;
  std::vector<bool> shared;  // rows that move by sums over columns of several shards
  for (std::size_t t = 0; t < this->tables().size(); ++t) {
    const embedding::EmbeddingBagConfig& table = this->tables()[t];
    const auto& shards = plan_[t].shards;
    optimizers.push_back(planning::optimizer_of(table, plan_[t].kernel, sparse, dense));
    planning::check_kernel(table, plan_[t].kernel, optimizers[t]);  // on every rank, whoever owns the table
    shared.push_back(!shards.empty() && shards.front().columns.size() < table.embedding_dim &&
                     optim::row_rounds(optimizers[t].type) > 0);
    if (shared.back()) row_rounds_ = std::max(row_rounds_, optim::row_rounds(optimizers[t].type));
  }
  for (const Routes::OwnShard& own : routes_->own())
    shards_.push_back({own.table, own.replicated,
                       std::make_unique<embedding::EmbeddingTable>(exec, this->tables()[own.table], own.shard.blocks,
                                                                   own.shard.columns, optimizers[own.table],
                                                                   plan_[own.table].kernel)});
  if (std::find(shared.begin(), shared.end(), true) != shared.end()) row_totals_.emplace(comm, plan_, shared);
}

void ShardedEmbeddingBagCollection::initialise(const Exec& exec, std::uint64_t seed) {
  for (Shard& shard : shards_) shard.rows->initialise(exec, seed, Index(shard.table));
}

InFlight ShardedEmbeddingBagCollection::start(const jagged::KeyedJaggedTensor& sparse, Index global_size) {
  return start(sparse, BatchSplit(lanes_, comm_.size(), global_size));
}

InFlight ShardedEmbeddingBagCollection::start(const jagged::KeyedJaggedTensor& sparse, BatchSplit split) {
  if (spare_->empty()) spare_->push_back(std::make_unique<Exchange>(comm_, *routes_));
  InFlight batch(std::move(spare_->back()), spare_);
  spare_->pop_back();
  phases_.time("send ids", [&] { batch.exchange_->start(sparse, std::move(split)); });
  return batch;
}

void ShardedEmbeddingBagCollection::advance(InFlight& batch) {
  phases_.time("send ids", [&] { batch.exchange_->advance(); });
}

MatrixView<const float> ShardedEmbeddingBagCollection::forward(const Exec& exec, InFlight& batch) {
  Exchange& exchange = *batch.exchange_;
  const auto& asked = phases_.time(
      "send ids", [&]() -> auto& { return exchange.receive(); });
  phases_.time("lookup", [&] { lookup(exec, asked, exchange.sums(exec)); });
  const float* pooled = phases_.time("return rows", [&] { return exchange.return_sums(exec); });
  return view_of(pooled, batch.samples(), pooled_width());
}

std::vector<jagged::JaggedVectors> ShardedEmbeddingBagCollection::unpooled(InFlight& batch) const {
  return sequences(batch, batch.exchange_->vectors());
}

std::vector<jagged::JaggedVectors> ShardedEmbeddingBagCollection::unpooled_gradient(InFlight& batch) const {
  return sequences(batch, batch.exchange_->gradients());
}

std::vector<jagged::JaggedVectors> ShardedEmbeddingBagCollection::sequences(InFlight& batch, float* front) const {
  std::vector<jagged::JaggedVectors> all;
  for (std::size_t q = 0; q < routes_->sequences().size(); ++q) {
    Front::Sequence& own = batch.exchange_->front().sequences[q];
    jagged::JaggedVectors& vectors = all.emplace_back();
    vectors.values = Matrix<float>(front + own.at, own.offsets.back(), routes_->sequences()[q].dim);
    vectors.offsets = Vector<Index>(own.offsets.data(), own.offsets.size());
  }
  return all;
}

MatrixView<float> ShardedEmbeddingBagCollection::gradient(const Exec& exec, InFlight& batch) {
  phases_.time("sort ids", [&] { order_ids(exec, batch); });
  return view_of(batch.exchange_->gradient(exec), batch.samples(), pooled_width());
}

const float* ShardedEmbeddingBagCollection::send_gradients(const Exec& exec, InFlight& batch) {
  return phases_.time("send gradients", [&] { return batch.exchange_->send_gradients(exec); });
}

void ShardedEmbeddingBagCollection::backward(const Exec& exec, InFlight batch, const optim::ScheduleSettings& schedule,
                                             Index step) {
  assert(ordered_ == batch.exchange_.get());
  const float* gradients = send_gradients(exec, batch);
  phases_.time("update", [&] { update(exec, gradients, schedule, step); });
  bytes_sent_ += batch.bytes_sent();
  ordered_ = nullptr;
}

void ShardedEmbeddingBagCollection::drop(InFlight batch) {
  if (batch) batch.exchange_->finish();
}

void ShardedEmbeddingBagCollection::lookup(const Exec& exec, const std::vector<AskedShard>& asked, float* sums) const {
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
  parallel_for(exec, "tesserec::sharding::lookup", std::ssize(tasks), [&](Index t) {
    const auto [i, run, f, part] = tasks[t];
    shards_[i].rows->lookup_task(part, asked[i].bags[run][f], asked[i].nodes[run][f], sums + asked[i].sums_at[run][f]);
  });
}

void ShardedEmbeddingBagCollection::order_ids(const Exec& exec, const InFlight& batch) {
  ordered_ = batch.exchange_.get();
  parallel_for(exec, "tesserec::sharding::order_ids", std::ssize(shards_), [&](Index i) {
    const AskedShard& asked = batch.asked()[i];
    embedding::EmbeddingTable& table = *shards_[i].rows;
    if (routes_->own()[i].fetched)
      table.prepare_sums(asked.gradients);
    else
      table.prepare(asked.bags, ordered_->split());
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
  if (row_totals_) update_shared(exec, gradients, schedule, step);
  if (comm_.size() > 1) update_replicated(exec, gradients, schedule, step);
}

void ShardedEmbeddingBagCollection::update_shared(const Exec& exec, const float* gradients,
                                                  const optim::ScheduleSettings& schedule, Index step) {
  std::vector<Shard*> shared;
  for (Shard& shard : shards_)
    if (shard.rows->shares_rows()) shared.push_back(&shard);
  for (const Shard* shard : shared) shard->rows->gather_gradients(exec, gradients);
  std::vector<std::vector<float>> totals(shared.size());
  for (int round = 0; round < row_rounds_; ++round) {
    std::vector<std::vector<float>> sums(shared.size());  // none of those that need no more
    for (std::size_t i = 0; i < shared.size(); ++i)
      if (round < optim::row_rounds(shared[i]->rows->optimizer().type))
        sums[i] = shared[i]->rows->sum_columns(exec, round, totals[i].data(), rate(*shared[i], schedule, step), step);
    auto received = row_totals_->totals(sums);
    for (std::size_t i = 0; i < shared.size(); ++i)
      if (round < optim::row_rounds(shared[i]->rows->optimizer().type)) totals[i] = std::move(received[i]);
  }
  for (std::size_t i = 0; i < shared.size(); ++i)
    shared[i]->rows->move_columns(exec, totals[i].data(), rate(*shared[i], schedule, step), step);
}

void ShardedEmbeddingBagCollection::update_replicated(const Exec& exec, const float* gradients,
                                                      const optim::ScheduleSettings& schedule, Index step) {
  // One message of each kind for all replicated tables; every rank has the same tables in the same order.
  std::vector<Shard*> replicated;
  for (Shard& shard : shards_)
    if (shard.replicated) replicated.push_back(&shard);
  if (replicated.empty()) return;
  std::vector<Index> counts, keys;
  std::vector<float> sums;
  for (const Shard* shard : replicated) {
    const auto mine = shard->rows->sum_gradients(gradients, lanes_.of_rank(comm_.rank(), comm_.size()));
    counts.push_back(std::ssize(mine.rows));
    keys.insert(keys.end(), mine.rows.begin(), mine.rows.end());
    keys.insert(keys.end(), mine.leaves.begin(), mine.leaves.end());
    sums.insert(sums.end(), mine.sums.begin(), mine.sums.end());
  }
  const std::vector<Index> all_counts = comm_.all_gather_equal(std::span<const Index>(counts));
  std::vector<Index> key_counts, sum_counts;  // [rank]
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    const std::size_t table = i % replicated.size();
    if (table == 0) key_counts.push_back(0), sum_counts.push_back(0);
    key_counts.back() += 2 * all_counts[i];
    sum_counts.back() += all_counts[i] * replicated[table]->rows->dim();
  }
  std::vector<Index> all_keys(total(key_counts));
  std::vector<float> all_sums(total(sum_counts));
  comm_.all_gather(std::span<const Index>(keys), std::span<const Index>(key_counts), all_keys.data());
  comm_.all_gather(std::span<const float>(sums), std::span<const Index>(sum_counts), all_sums.data());

  std::vector<std::vector<embedding::RowUse>> uses(replicated.size());
  auto key = all_keys.begin();
  Index sum = 0;
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    const std::size_t table = i % replicated.size();
    for (Index n = 0; n < all_counts[i]; ++n, sum += replicated[table]->rows->dim())
      uses[table].push_back({key[n], sum, std::int32_t(key[all_counts[i] + n]), 1.0f});
    key += 2 * all_counts[i];
  }
  for (std::size_t i = 0; i < replicated.size(); ++i) {
    replicated[i]->rows->prepare_sums(uses[i]);
    replicated[i]->rows->update(exec, all_sums.data(), rate(*replicated[i], schedule, step), step);
  }
}

}  // namespace tesserec::sharding
