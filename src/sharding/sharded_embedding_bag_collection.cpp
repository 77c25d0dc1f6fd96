// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "exchange.hpp"
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::sharding {

ShardedEmbeddingBagCollection::ShardedEmbeddingBagCollection(const Exec& exec, const comm::Communicator& comm,
                                                             std::vector<embedding::EmbeddingBagConfig> tables,
                                                             planning::ShardingPlan plan,
                                                             const std::vector<std::string>& features,
                                                             const Lanes& lanes, const CollectionOptions& options)
    : comm_(comm),
      plan_(std::move(plan)),
      lanes_(lanes),
      place_(place_of(options.kernels)),
      precision_(options.precision),
      routes_(std::make_unique<Routes>(comm.rank(), comm.size(), std::move(tables), plan_, features, options.levels)),
      spare_(std::make_shared<SpareExchanges>()) {
  const bool relayed = std::any_of(plan_.begin(), plan_.end(), [&](const planning::ParameterSharding& table) {
    return options.levels.most > 1 && planning::by_two_levels(table, comm.size(), options.levels.ranks_per_node);
  });
  if (relayed) node_.emplace(comm, comm.rank() / options.levels.ranks_per_node);
  std::vector<optim::Settings> optimizers;
  std::vector<bool> shared;  // rows that move by sums over columns of several shards
  for (std::size_t t = 0; t < this->tables().size(); ++t) {
    const embedding::EmbeddingBagConfig& table = this->tables()[t];
    const auto& shards = plan_[t].shards;
    optimizers.push_back(planning::optimizer_of(table, plan_[t].kernel, options.sparse, options.dense));
    planning::check_kernel(table, plan_[t].kernel, optimizers[t]);  // on every rank, whoever owns the table
    shared.push_back(!shards.empty() && shards.front().columns.size() < table.embedding_dim &&
                     optim::row_rounds(optimizers[t].type) > 0);
    if (shared.back()) row_rounds_ = std::max(row_rounds_, optim::row_rounds(optimizers[t].type));
  }
  for (const Routes::OwnShard& own : routes_->own())
    shards_.push_back({own.table, own.replicated,
                       std::make_unique<embedding::EmbeddingTable>(exec, this->tables()[own.table], own.shard.blocks,
                                                                   own.shard.columns, optimizers[own.table],
                                                                   plan_[own.table].kernel, place_)});
  std::vector<embedding::RowKernels::Shard> of_kernels;
  for (std::size_t i = 0; i < shards_.size(); ++i)
    of_kernels.push_back({shards_[i].rows.get(), routes_->own()[i].fetched, replicated(shards_[i])});
  kernels_ = embedding::make_row_kernels(options.kernels, std::move(of_kernels), phases_);
  if (std::find(shared.begin(), shared.end(), true) != shared.end()) row_totals_.emplace(comm, plan_, shared);
}

void ShardedEmbeddingBagCollection::initialise(const Exec& exec, std::uint64_t seed) {
  for (Shard& shard : shards_) shard.rows->initialise(exec, seed, Index(shard.table));
}

InFlight ShardedEmbeddingBagCollection::start(const jagged::KeyedJaggedTensor& sparse, Index global_size) {
  return start(sparse, BatchSplit(lanes_, comm_.size(), global_size));
}

InFlight ShardedEmbeddingBagCollection::start(const jagged::KeyedJaggedTensor& sparse, BatchSplit split) {
  if (spare_->empty())
    spare_->push_back(std::make_unique<Exchange>(comm_, node_ ? &*node_ : nullptr, *routes_, place_, precision_));
  InFlight batch(std::move(spare_->back()), spare_);
  spare_->pop_back();
  phases_.time("send ids", [&] { batch.exchange_->start(sparse, std::move(split)); });
  return batch;
}

void ShardedEmbeddingBagCollection::advance(InFlight& batch) {
  if (batch.exchange_->stage() != Exchange::Stage::counts_sent) return;
  phases_.time("send ids", [&] { batch.exchange_->advance(); });
}

void ShardedEmbeddingBagCollection::receive(const Exec& exec, InFlight& batch) {
  Exchange& exchange = *batch.exchange_;
  const bool here = exchange.stage() == Exchange::Stage::ids_here;
  if (here && read_ == &exchange) return;
  phases_.time("send ids", [&] {
    if (!here) exchange.receive(exec);
    kernels_->read(exec, exchange.asked(), exchange.split());
  });
  read_ = &exchange;
}

MatrixView<const float> ShardedEmbeddingBagCollection::forward(const Exec& exec, InFlight& batch) {
  receive(exec, batch);
  Exchange& exchange = *batch.exchange_;
  phases_.time("lookup", [&] { kernels_->lookup(exec, batch.asked(), exchange.split(), exchange.sums(exec)); });
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

void ShardedEmbeddingBagCollection::drop(InFlight batch) {
  if (batch) batch.exchange_->finish();
}

void ShardedEmbeddingBagCollection::order_ids(const Exec& exec, const InFlight& batch) {
  ordered_ = batch.exchange_.get();
  const BatchSplit& split = ordered_->split();
  kernels_->order_ids(exec, batch.asked(), split, split.lanes(comm_.rank()));
}

}  // namespace tesserec::sharding
