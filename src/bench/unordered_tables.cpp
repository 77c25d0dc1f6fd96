// SPDX-License-Identifier: Apache-2.0
#include "unordered_tables.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/embedding/row_gradient.hpp>

namespace tesserec::bench {
namespace {

using planning::ComputeKernel;
using planning::ShardingType;

constexpr Index prefetch_distance = 12;
constexpr Index line = 16;  // floats

void check(const embedding::EmbeddingBagConfig& table, const planning::ParameterSharding& plan, int ranks) {
  const auto refuse = [&](const char* why) {
    fail("table ", table.name, ": the cost of the law is not measured ", why);
  };
  if (plan.type == ShardingType::data_parallel && ranks > 1)
    refuse("for data_parallel on several ranks; set plan.default to table_wise or row_wise");
  if (plan.kernel != ComputeKernel::fused) refuse("for the dense kernel");
  if (table.pooling != embedding::PoolingType::sum || table.weighted || !table.unpooled.empty())
    refuse("for means, weighted sums and un-pooled features");
  for (const planning::Shard& shard : plan.shards)
    if (shard.columns.size() != table.embedding_dim)
      refuse("for columns that are cut; set plan.default to table_wise or row_wise");
}

TESSEREC_KERNEL void add(float* to, const float* from, Index n) {
  for (Index c = 0; c < n; ++c) to[c] += from[c];
}

/// Sums of bags with ids, one after the other; the end of what was written.
TESSEREC_KERNEL float* pool_bags(const float* rows, Index first_row, Index dim, std::span<const std::int32_t> lengths,
                                 const Index* ids, const Index* ids_end, float* out) {
  const auto row = [&](Index id) { return rows + (id - first_row) * dim; };
  for (const std::int32_t length : lengths) {
    if (length == 0) continue;
    for (const Index* end = ids + length; ids != end; ++ids) {
      if (ids_end - ids > prefetch_distance)
        for (Index c = 0; c < dim; c += line) __builtin_prefetch(row(ids[prefetch_distance]) + c);
      const float* from = row(*ids);
      if (ids + length == end)
        for (Index c = 0; c < dim; ++c) out[c] = from[c];
      else
        for (Index c = 0; c < dim; ++c) out[c] += from[c];
    }
    out += dim;
  }
  return out;
}

}  // namespace

UnorderedTables::UnorderedTables(const comm::Communicator& comm, const sharding::ShardedEmbeddingBagCollection& tables,
                                 const std::vector<std::string>& features, const Lanes& lanes)
    : comm_(comm), lanes_(lanes) {
  const std::size_t ranks = comm.size();
  slots_.resize(ranks);
  const auto resize = [ranks](auto&... parcels) {
    (parcels.out.resize(ranks), ...);
    (parcels.in.resize(ranks), ...);
  };
  resize(lengths_, ids_, sums_, gradients_);
  auto mine = tables.shards().begin();
  for (std::size_t t = 0; t < tables.tables().size(); ++t) {
    const embedding::EmbeddingBagConfig& table = tables.tables()[t];
    check(table, tables.plan()[t], comm.size());
    std::vector<planning::Shard> shards = tables.plan()[t].shards;
    if (shards.empty()) shards = planning::cut(table, 1, 1, std::vector<int>{0});  // data_parallel on one rank
    for (const planning::Shard& shard : shards) {
      const embedding::EmbeddingTable* rows = nullptr;
      if (shard.rank == comm.rank()) {
        mine = std::find_if(tables.shards().begin(), tables.shards().end(), [&](const auto& held) {
          return held.table == t && held.rows->blocks().begin == shard.blocks.begin;
        });
        rows = mine->rows.get();
      }
      Index column = pooled_width_;
      for (const std::string& feature : table.feature_names) {
        const auto key = std::find(features.begin(), features.end(), feature) - features.begin();
        slots_[shard.rank].push_back({&table, embedding::TableShard{.config = table, .blocks = shard.blocks}.rows(),
                                      key, column, table.embedding_dim, rows});
        column += table.embedding_dim;
      }
    }
    pooled_width_ += table.embedding_dim * std::ssize(table.feature_names);
  }
}

void UnorderedTables::ask(const jagged::KeyedJaggedTensor& sparse) {
  const Index* ids = sparse.values.data();
  for (int owner = 0; owner < comm_.size(); ++owner) {
    lengths_.out[owner].clear();
    ids_.out[owner].clear();
    for (const Slot& slot : slots_[owner]) {
      for (Index s = 0; s < samples_; ++s) {
        const std::size_t before = ids_.out[owner].size();
        for (Index i = sparse.begin(slot.key, s); i < sparse.begin(slot.key, s) + sparse.length(slot.key, s); ++i)
          if (const Index row = slot.table->row(ids[i]); slot.rows.contains(row)) ids_.out[owner].push_back(row);
        lengths_.out[owner].push_back(ids_.out[owner].size() - before);
      }
    }
  }
  for (int r = 0; r < comm_.size(); ++r)
    lengths_.in[r].resize(slots_[comm_.rank()].size() * lanes_.samples_of_rank(r, comm_.size(), global_size_).size());
  comm_.all_to_all(lengths_.out, lengths_.in);
  for (int r = 0; r < comm_.size(); ++r)
    ids_.in[r].resize(std::accumulate(lengths_.in[r].begin(), lengths_.in[r].end(), std::size_t{0}));
  comm_.all_to_all(ids_.out, ids_.in);
}

void UnorderedTables::pool(int sender) {
  const Index bags = lanes_.samples_of_rank(sender, comm_.size(), global_size_).size();
  const std::int32_t* lengths = lengths_.in[sender].data();
  const Index* ids = ids_.in[sender].data();
  std::size_t most = 0;
  for (const Slot& slot : slots_[comm_.rank()]) most += bags * slot.dim;
  sums_.out[sender].resize(most);
  float* out = sums_.out[sender].data();
  for (const Slot& slot : slots_[comm_.rank()]) {
    const Index* const end = ids + std::accumulate(lengths, lengths + bags, Index{0});
    out =
        pool_bags(slot.shard->weights().data(), slot.rows.begin, slot.dim, {lengths, std::size_t(bags)}, ids, end, out);
    lengths += bags;
    ids = end;
  }
  sums_.out[sender].resize(out - sums_.out[sender].data());
}

void UnorderedTables::forward(const jagged::KeyedJaggedTensor& sparse, Index global_size, float* pooled) {
  samples_ = sparse.stride;
  global_size_ = global_size;
  ask(sparse);
  for (int sender = 0; sender < comm_.size(); ++sender) pool(sender);
  for (int owner = 0; owner < comm_.size(); ++owner) {
    std::size_t size = 0, at = 0;
    for (const Slot& slot : slots_[owner])
      for (Index s = 0; s < samples_; ++s) size += asked(owner)[at++] > 0 ? slot.dim : 0;
    sums_.in[owner].resize(size);
  }
  comm_.all_to_all(sums_.out, sums_.in);
  std::fill_n(pooled, samples_ * pooled_width_, 0.0f);
  for (int owner = 0; owner < comm_.size(); ++owner) {
    const std::int32_t* length = asked(owner).data();
    const float* sum = sums_.in[owner].data();
    for (const Slot& slot : slots_[owner])
      for (Index s = 0; s < samples_; ++s)
        if (*length++ > 0) {
          add(pooled + s * pooled_width_ + slot.column, sum, slot.dim);
          sum += slot.dim;
        }
  }
}

void UnorderedTables::backward(const float* pooled_gradient, Index step) {
  for (int owner = 0; owner < comm_.size(); ++owner) {
    gradients_.out[owner].resize(sums_.in[owner].size());
    const std::int32_t* length = asked(owner).data();
    float* out = gradients_.out[owner].data();
    for (const Slot& slot : slots_[owner])
      for (Index s = 0; s < samples_; ++s)
        if (*length++ > 0) out = std::copy_n(pooled_gradient + s * pooled_width_ + slot.column, slot.dim, out);
  }
  for (int sender = 0; sender < comm_.size(); ++sender)
    gradients_.in[sender].resize((sender == comm_.rank() ? sums_.in : sums_.out)[sender].size());
  comm_.all_to_all(gradients_.out, gradients_.in);
  ids_at_.assign(slots_.size(), 0);
  gradients_at_.assign(slots_.size(), 0);
  const std::vector<Slot>& mine = slots_[comm_.rank()];
  for (std::size_t first = 0, last = 0; first < mine.size(); first = last) {
    while (last < mine.size() && mine[last].shard == mine[first].shard) ++last;
    update(first, last, step);
  }
}

void UnorderedTables::update(std::size_t first_slot, std::size_t last_slot, Index step) {
  const Slot& slot = slots_[comm_.rank()][first_slot];
  uses_.clear();
  for (int sender = 0; sender < comm_.size(); ++sender) {
    const Index bags = lanes_.samples_of_rank(sender, comm_.size(), global_size_).size();
    for (std::size_t k = first_slot; k < last_slot; ++k)
      for (Index s = 0; s < bags; ++s) {
        const std::int32_t length = lengths_.in[sender][k * bags + s];
        for (std::int32_t i = 0; i < length; ++i)
          uses_.push_back(
              {ids_.in[sender][ids_at_[sender]++] - slot.rows.begin, Index(gradients_at_[sender]), sender, 1.0f});
        if (length > 0) gradients_at_[sender] += slot.dim;
      }
  }
  embedding::sort_by_row(uses_, slot.rows.size());

  const optim::StepScalars scalars = optim::step_scalars(slot.shard->optimizer(), slot.shard->optimizer().lr, step);
  const auto state = [&](std::size_t i, Index row) {
    const PlacedMatrix<float>& values = slot.shard->store().states()[i].values;
    return values.data() + row * values.columns();
  };
  const auto gradient = [&](const embedding::RowUse& use) { return gradients_.in[use.lane].data() + use.gradient; };
  const auto fetch = [&](const embedding::RowUse& use) __attribute__((always_inline)) {
    for (Index c = 0; c < slot.dim; c += line) {
      __builtin_prefetch(gradient(use) + c);
      __builtin_prefetch(slot.shard->weights().data() + use.row * slot.dim + c, 1);
    }
    for (std::size_t i = 0; i < slot.shard->store().states().size(); ++i) __builtin_prefetch(state(i, use.row), 1);
  };
  std::vector<float> sum(slot.dim);
  for (std::size_t begin = 0, end = 0; begin < uses_.size(); begin = end) {
    const Index row = uses_[begin].row;
    const float* total = gradient(uses_[begin]);
    for (end = begin; end < uses_.size() && uses_[end].row == row; ++end) {
      if (end + prefetch_distance < uses_.size()) fetch(uses_[end + prefetch_distance]);
      if (end == begin) continue;
      if (end == begin + 1) std::copy_n(total, slot.dim, sum.data());
      add(sum.data(), gradient(uses_[end]), slot.dim);
    }
    if (end > begin + 1) total = sum.data();
    optim::Row moved{slot.shard->weights().data() + row * slot.dim, total, {}, {0, slot.dim}, slot.dim};
    for (std::size_t i = 0; i < slot.shard->store().states().size(); ++i) moved.states[i] = state(i, row);
    optim::move_row(scalars, moved);
  }
}

}  // namespace tesserec::bench
