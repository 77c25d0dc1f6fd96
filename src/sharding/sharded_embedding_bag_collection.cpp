// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "exchange.hpp"
#include "row_updates.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/planning/disk_rows.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::sharding {
namespace {

/// Returns the vectors of each un-pooled feature, which follow the pooled vectors.
std::vector<jagged::JaggedVectors> sequences(const Routes& routes, Front& front, float* vectors) {
  std::vector<jagged::JaggedVectors> result;
  for (std::size_t q = 0; q < front.sequences.size(); ++q) {
    Front::Sequence& own = front.sequences[q];
    jagged::JaggedVectors& sequence = result.emplace_back();
    sequence.values = Matrix<float>(vectors + own.at, own.offsets.back(), routes.vectors().sequences[q].dim);
    sequence.offsets = Vector<Index>(own.offsets.data(), own.offsets.size());
  }
  return result;
}

bool any_grows(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  return std::ranges::any_of(tables, &embedding::EmbeddingBagConfig::grows);
}

/// Pins a batch's rows of tables that grow, or those of all others. Returns the error of a store.
std::exception_ptr pin(const Exec& exec, Exchange& exchange,
                       const std::vector<ShardedEmbeddingBagCollection::Shard>& shards, bool growing) {
  const bool trains = exchange.rows().gradients;
  try {
    for (std::size_t i = 0; i < shards.size(); ++i) {
      const embedding::EmbeddingTable& table = *shards[i].rows;
      if (table.config().grows() == growing) exchange.lookups()[i].pin(exec, table.store(), trains);
    }
  } catch (const std::exception&) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

ShardedEmbeddingBagCollection::ShardedEmbeddingBagCollection(const Exec& exec, const comm::Communicator& comm,
                                                             std::vector<embedding::EmbeddingBagConfig> tables,
                                                             planning::ShardingPlan plan,
                                                             const std::vector<std::string>& features,
                                                             const Lanes& lanes, const CollectionOptions& options)
    : plan_(std::move(plan)),
      common_{lanes, place_of(options.kernels)},
      groups_(std::make_unique<ReplicaGroups>(comm, planning::replicas(plan_))),
      routes_(std::make_unique<Routes>(groups_->group().rank(), groups_->group().size(), std::move(tables), plan_,
                                       features, groups_->levels(options.levels))) {
  const comm::Communicator& group = groups_->group();
  const Levels levels = groups_->levels(options.levels);
  const bool relayed = std::any_of(plan_.begin(), plan_.end(), [&](const planning::ParameterSharding& table) {
    return levels.max > 1 && planning::by_two_levels(table, group.size(), levels.ranks_per_node);
  });
  if (relayed) groups_->make_node(group.rank() / levels.ranks_per_node);
  exchanges_ = std::make_shared<SpareExchanges>(*groups_, *routes_, common_.place, options.precision);
  std::vector<optim::Settings> optimizers;
  std::vector<int> rounds;  // rounds of tables whose rows need sums over the columns of several shards
  for (std::size_t t = 0; t < this->tables().size(); ++t) {
    const embedding::EmbeddingBagConfig& table = this->tables()[t];
    const auto& shards = plan_[t].shards;
    optimizers.push_back(planning::optimizer_of(table, plan_[t].kernel, options.sparse, options.dense));
    planning::check_kernel(table, plan_[t].kernel, optimizers[t]);  // on every rank, so that all throw alike
    planning::check_disk_rows(table, plan_[t], optimizers[t]);
    if (plan_[t].kernel == planning::ComputeKernel::disk && common_.place == Place::device)
      fail("table ", table.name,
           " has kernel \"disk\", whose cache is in the host's memory, where kernels of a device "
           "cannot read; use kernel \"host_cached\" or \"fused\"");
    if (plan_[t].kernel == planning::ComputeKernel::host_cached && common_.place == Place::host)
      fail("table ", table.name,
           " has kernel \"host_cached\", whose cache is in a device's memory, but kernels compute in the host's; "
           "use kernel \"fused\", which has all rows there, or \"disk\"");
    const bool shared = !shards.empty() && shards.front().columns.size() < table.embedding_dim;
    rounds.push_back(shared ? optim::row_rounds(optimizers[t].type) : 0);
  }
  std::vector<embedding::RowKernels::Shard> of_kernels;
  std::vector<RowUpdates::Shard> of_updates;
  for (const Routes::OwnShard& own : routes_->own()) {
    const embedding::TableShard shard{this->tables()[own.table], own.shard.blocks,        own.shard.columns,
                                      optimizers[own.table],     plan_[own.table].kernel, common_.place};
    embedding::EmbeddingTable* const rows =
        shards_
            .emplace_back(Shard{own.table, own.replicated ? Replica{comm.rank(), comm.size()} : groups_->replica(),
                                std::make_unique<embedding::EmbeddingTable>(exec, shard, options.store)})
            .rows.get();
    const bool copied = shards_.back().replica.count > 1;
    const comm::Communicator* const copies = own.replicated ? &comm : groups_->copies();
    const embedding::Askers askers = own.replicated ? embedding::Askers::own_rank : embedding::Askers::group;
    of_kernels.push_back({rows, own.fetched, copied ? askers : embedding::Askers::all_ranks});
    of_updates.push_back({rows, copied ? copies : nullptr});
  }
  const auto caches = [](const Shard& shard) {
    return !shard.rows->store().ordered() && !shard.rows->config().grows();
  };
  common_.caches = comm.max(std::ranges::any_of(shards_, caches) ? 1 : 0) != 0;
  updates_ = std::make_unique<RowUpdates>(group, plan_, rounds, std::move(of_updates),
                                          embedding::make_row_kernels(options.kernels, std::move(of_kernels), phases_));
}

ShardedEmbeddingBagCollection::~ShardedEmbeddingBagCollection() = default;

bool ShardedEmbeddingBagCollection::has(planning::ComputeKernel kernel) const {
  return std::ranges::count(plan_, kernel, &planning::ParameterSharding::kernel) > 0;
}

void ShardedEmbeddingBagCollection::initialize(const Exec& exec, std::uint64_t seed) {
  for (Shard& shard : shards_) shard.rows->initialize(exec, seed, Index(shard.table));
}

InFlight ShardedEmbeddingBagCollection::start(const Exec& exec, const jagged::KeyedJaggedTensor& sparse,
                                              Index global_size) {
  return start(exec, sparse, BatchSplit(common_.lanes, groups_->all().size(), global_size));
}

InFlight ShardedEmbeddingBagCollection::start(const Exec& exec, const jagged::KeyedJaggedTensor& sparse,
                                              BatchSplit split, bool gradients) {
  InFlight batch(exchanges_->take(), exchanges_);
  phases_.time("send ids", [&] { batch.exchange_->start(exec, sparse, groups_->split(std::move(split)), gradients); });
  return batch;
}

void ShardedEmbeddingBagCollection::progress(const Exec& exec, InFlight& batch) {
  if (batch.exchange_->stage() == Exchange::Stage::counts_sent && !has(planning::ComputeKernel::host_cached))
    phases_.time("send ids", [&] { batch.exchange_->advance(); });
  else
    prefetch(exec, batch);
}

void ShardedEmbeddingBagCollection::prefetch(const Exec& exec, InFlight& batch) {
  Exchange& exchange = *batch.exchange_;
  if (exchange.stage() >= Exchange::Stage::ids_received) return;
  phases_.time("send ids", [&] {
    exchange.receive(exec);
    batch.pin_error_ = pin(exec, exchange, shards_, false);
    if (!any_grows(tables()) && !batch.pin_error_) updates_->kernels().read(exec, exchange.rows());
  });
}

BatchVectors<const float> ShardedEmbeddingBagCollection::forward(const Exec& exec, InFlight& batch) {
  prefetch(exec, batch);
  Exchange& exchange = *batch.exchange_;
  if (any_grows(tables()))
    phases_.time("find rows", [&] {
      if (!batch.pin_error_) batch.pin_error_ = pin(exec, exchange, shards_, true);
      if (!batch.pin_error_) updates_->kernels().read(exec, exchange.rows());
    });
  const auto fetch = [&] {
    if (batch.pin_error_) std::rethrow_exception(batch.pin_error_);
    for (const embedding::ShardLookups& shard : exchange.lookups()) shard.pinned.wait();
  };
  if (common_.caches)
    phases_.time("fetch rows", [&] { comm::agree(groups_->all(), fetch); });
  else
    fetch();
  phases_.time("lookup", [&] { updates_->kernels().lookup(exec, exchange.rows(), exchange.sums(exec)); });
  float* const vectors = phases_.time("return rows", [&] { return exchange.return_sums(exec); });
  return {view_of<const float>(vectors, batch.samples(), pooled_width()),
          sequences(*routes_, exchange.front(), vectors)};
}

BatchVectors<float> ShardedEmbeddingBagCollection::gradient(const Exec& exec, InFlight& batch) {
  float* const gradient = batch.exchange_->gradient(exec);
  return {view_of(gradient, batch.samples(), pooled_width()), sequences(*routes_, batch.exchange_->front(), gradient)};
}

template <class Use>
void ShardedEmbeddingBagCollection::send_back(const Exec& exec, InFlight& batch, const Use& use) {
  Exchange& exchange = *batch.exchange_;
  const float* const gradients = phases_.time("send gradients", [&] { return exchange.send_gradients(exec); });
  phases_.time("update", [&] { use(exchange.rows(), gradients); });
  bytes_.all += batch.bytes().all;
  bytes_.between_nodes += batch.bytes().between_nodes;
}

void ShardedEmbeddingBagCollection::backward(const Exec& exec, InFlight batch, const optim::ScheduleSettings& schedule,
                                             Index step) {
  send_back(exec, batch, [&](const embedding::RowBatch& rows, const float* gradients) {
    updates_->move(exec, rows, gradients, schedule, step);
    for (embedding::ShardLookups& lookups : batch.exchange_->lookups()) lookups.pinned.set_moved();
  });
}

void ShardedEmbeddingBagCollection::backward(const Exec& exec, InFlight batch, GradientSums& sums) {
  send_back(exec, batch, [&](const embedding::RowBatch& rows, const float* gradients) {
    updates_->add(exec, rows, gradients, sums);
  });
}

void ShardedEmbeddingBagCollection::move(const Exec& exec, GradientSums& sums, const optim::ScheduleSettings& schedule,
                                         Index step, float scale) {
  phases_.time("update", [&] { updates_->move(exec, sums, schedule, step, scale); });
}

}  // namespace tesserec::sharding
