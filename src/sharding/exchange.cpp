// SPDX-License-Identifier: Apache-2.0
// Who asks whom, sums back to the samples, gradients to the owners.
#include <algorithm>
#include <numeric>

#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/sharding/exchange.hpp>

namespace tesserec::sharding {
namespace {

constexpr Index samples_per_task = 128;

Index total(std::span<const Index> counts) { return std::accumulate(counts.begin(), counts.end(), Index{0}); }

Index key_of(const std::vector<std::string>& features, const std::string& feature, const std::string& table) {
  const auto found = std::find(features.begin(), features.end(), feature);
  if (found == features.end()) {
    std::string known;
    for (const std::string& name : features) known += (known.empty() ? "" : ", ") + name;
    fail("table ", table, ": feature \"", feature, "\" is not in the data, which has ", known);
  }
  return found - features.begin();
}

/// out[s * stride + c]: the only sum of sample s (its number in `nodes`), by the bag's length with `mean`; else 0.
TESSEREC_KERNEL void scatter_sums(Range samples, Index dim, const Index* offsets, bool mean, const float* sums,
                                  const Index* nodes, float* out, Index stride) {
  for (Index s = samples.begin; s < samples.end; ++s) {
    const Index length = offsets[s + 1] - offsets[s];
    const float* sum = sums + nodes[s] * dim;
    float* to = out + s * stride;
    if (length == 0)
      for (Index c = 0; c < dim; ++c) to[c] = 0.0f;
    else if (mean)
      for (Index c = 0; c < dim; ++c) to[c] = sum[c] / static_cast<float>(length);
    else
      for (Index c = 0; c < dim; ++c) to[c] = sum[c];
  }
}

/// Of one owner: the sums of each sample's bag, one a subtree of row blocks.
struct NodeSums {
  const Index* offsets;  // [samples + 1]
  const Index* leaves;
  const float* sums;
};

/// The sum of a sample's bag in slots[0 .. dim): its nodes, owner by owner in row order, by the tree.
TESSEREC_KERNEL const float* add_nodes(std::span<const NodeSums> sources, Index sample, Index dim, float* slots) {
  TreeOrder tree(whole_tree);
  const auto merge = [&](int into, int from) {
    for (Index c = 0; c < dim; ++c) slots[into * dim + c] += slots[from * dim + c];
  };
  for (const NodeSums& source : sources)
    for (Index node = source.offsets[sample]; node < source.offsets[sample + 1]; ++node) {
      float* to = slots + tree.push(source.leaves[node], merge) * dim;
      for (Index c = 0; c < dim; ++c) to[c] = source.sums[node * dim + c];
    }
  tree.finish(merge);
  return slots;
}

/// The gradients of the bags that have ids, one after the other; divided by `lengths`, when given.
TESSEREC_KERNEL void gather_gradients(Index samples, Index dim, const Index* offsets, const Index* lengths,
                                      const float* gradients, Index stride, float* out) {
  for (Index s = 0; s < samples; ++s) {
    if (offsets[s] == offsets[s + 1]) continue;
    const float* gradient = gradients + s * stride;
    if (lengths != nullptr)
      for (Index c = 0; c < dim; ++c) out[c] = gradient[c] / static_cast<float>(lengths[s]);
    else
      for (Index c = 0; c < dim; ++c) out[c] = gradient[c];
    out += dim;
  }
}

}  // namespace

Exchange::Exchange(const comm::Communicator& comm, std::span<const embedding::EmbeddingBagConfig> tables,
                   const planning::ShardingPlan& plan, const std::vector<std::string>& features, const Lanes& lanes)
    : comm_(comm), tables_(tables.begin(), tables.end()), lanes_(lanes), slots_(comm.size()), sent_(comm.size()) {
  const int me = comm.rank();
  std::vector<Slot> data_parallel;
  std::vector<AskedShard> asked_data_parallel;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = tables_[t];
    weighted_ = weighted_ || table.weighted;
    const bool mine_alone = plan[t].type == planning::ShardingType::data_parallel;
    const std::vector<planning::Shard> shards =
        mine_alone ? planning::cut(table, 1, 1, std::vector<int>{me}) : plan[t].shards;
    for (const planning::Shard& shard : shards) {
      const bool rows = !mine_alone && plan[t].form == planning::ExchangeForm::rows;
      if (shard.rank == me)
        (mine_alone ? asked_data_parallel : asked_)
            .push_back({t,
                        shard.columns.size(),
                        embedding::RowBlocks(table.num_embeddings).rows(shard.blocks).begin,
                        rows,
                        {},
                        {},
                        {},
                        {}});
      own_fetched_ += rows && shard.rank == me;
      std::vector<Slot>& list = mine_alone ? data_parallel : rows ? fetched_slots_ : slots_[shard.rank];
      std::vector<Index> keys;
      for (const std::string& feature : table.feature_names) keys.push_back(key_of(features, feature, table.name));
      if (rows) fetches_.push_back({RowFetch(table, shard, keys), t, shard.rank, list.size()});
      for (std::size_t f = 0; f < keys.size(); ++f)
        list.push_back({t, shard.blocks, keys[f],
                        pooled_width_ + static_cast<Index>(f) * table.embedding_dim + shard.columns.begin,
                        shard.columns.size()});
    }
    for (std::size_t f = 0; f < table.feature_names.size(); ++f, pooled_width_ += table.embedding_dim) {
      Index next = 0;
      for (const planning::Shard& shard : shards) {
        if (shard.columns.begin != next) continue;  // another piece of the rows
        pooled_.push_back(
            {pooled_width_ + next, shard.columns.size(), table.pooling == embedding::PoolingType::mean, {}});
        next = shard.columns.end;
      }
    }
  }
  own_data_parallel_ = data_parallel.size();
  slots_[me].insert(slots_[me].end(), data_parallel.begin(), data_parallel.end());
  asked_.insert(asked_.end(), asked_data_parallel.begin(), asked_data_parallel.end());
  for (int owner = 0; owner < comm.size(); ++owner) {
    sent_[owner].resize(slots_[owner].size());
    for (std::size_t k = 0; k < slots_[owner].size(); ++k) add_source({owner, k});
  }
  fetched_.resize(fetched_slots_.size());
  for (std::size_t k = 0; k < fetched_slots_.size(); ++k) add_source({Source::fetched, k});
  std::stable_sort(fetches_.begin(), fetches_.end(), [](const Fetch& a, const Fetch& b) { return a.owner < b.owner; });
  for (Pooled& p : pooled_)
    std::sort(p.sources.begin(), p.sources.end(),
              [this](const Source& a, const Source& b) { return slot(a).blocks.begin < slot(b).blocks.begin; });
  for (const Pooled& p : pooled_)
    for (const Source& source : p.sources)
      if (source.owner == me && !p.mean) {
        Slot& own = slots_[me][source.slot];
        own.gradients_in_place = true;
        own.sums_in_place = p.sources.size() == 1;
      }
}

void Exchange::add_source(const Source& source) {
  for (Pooled& p : pooled_)
    if (p.column == slot(source).column) p.sources.push_back(source);
}

const Exchange::Slot& Exchange::slot(const Source& source) const {
  return source.owner == Source::fetched ? fetched_slots_[source.slot] : slots_[source.owner][source.slot];
}

const Exchange::Sent& Exchange::sent(const Source& source) const {
  return source.owner == Source::fetched ? fetched_[source.slot] : sent_[source.owner][source.slot];
}

std::size_t Exchange::slot_count(int sender, int owner) const {
  const bool without = owner == comm_.rank() && sender != owner;
  return slots_[owner].size() - (without ? own_data_parallel_ : 0);
}

const float* Exchange::sums_of(const Source& source) const {
  const float* from = source.owner == Source::fetched ? fetched_sums_.data()
                      : source.owner == comm_.rank()  ? rows_out_.data()
                                                      : rows_in_.data();
  return from + sent(source).rows_at;
}

float* Exchange::gradients_of(const Source& source) {
  float* to = source.owner == Source::fetched ? fetched_gradients_.data()
              : source.owner == comm_.rank()  ? gradients_in_.data()
                                              : gradients_out_.data();
  return to + sent(source).gradients_at;
}

void Exchange::count_bytes(std::span<const Index> counts, Index element) {
  bytes_sent_ += (total(counts) - counts[comm_.rank()]) * element;
}

float* Exchange::rows(const Exec& exec) {
  reserve(exec, rows_out_, "tesserec::sharding::rows_out", own_.rows_at + total(rows_sent_));
  return rows_out_.data();
}

const float* Exchange::return_rows(const Exec& exec) {
  reserve(exec, rows_in_, "tesserec::sharding::rows_in", total(rows_asked_));
  comm_.all_to_all(rows_out_.data() + own_.rows_at, rows_sent_, rows_in_.data(), rows_asked_);
  count_bytes(rows_sent_, sizeof(float));
  pool_fetched(exec);
  parallel_for(exec, "tesserec::sharding::pool", (samples_ + samples_per_task - 1) / samples_per_task, [&](Index task) {
    const Range samples{task * samples_per_task, std::min(samples_, (task + 1) * samples_per_task)};
    for (const Pooled& p : pooled_)
      if (!slot(p.sources.front()).sums_in_place) pool_samples(p, samples, rows_out_.data() + p.column);
  });
  return rows_out_.data();
}

Index Exchange::bag_length(const Pooled& pooled, Index sample) const {
  Index length = 0;
  for (const Source& source : pooled.sources) length += sent(source).length(sample);
  return length;
}

void Exchange::pool_fetched(const Exec& exec) {
  reserve(exec, fetched_sums_, "tesserec::sharding::fetched_sums", fetched_sums_size_);
  parallel_for(exec, "tesserec::sharding::pool_fetched", static_cast<Index>(fetches_.size()), [&](Index i) {
    const Fetch& fetch = fetches_[i];
    for (std::size_t f = 0; f < tables_[fetch.table].feature_names.size(); ++f)
      fetch.rows.pool(f, (fetch.owner == comm_.rank() ? rows_out_.data() : rows_in_.data()) + fetch.rows_at,
                      fetched_sums_.data() + fetched_[fetch.first_slot + f].rows_at);
  });
}

void Exchange::pool_samples(const Pooled& pooled, Range samples, float* out) const {
  const Index dim = pooled.dim;
  if (pooled.sources.size() == 1) {
    const Sent& only = sent(pooled.sources[0]);
    return scatter_sums(samples, dim, only.offsets.data(), pooled.mean, sums_of(pooled.sources[0]),
                        only.nodes.offsets.data(), out, pooled_width_);
  }
  std::vector<NodeSums> sources;
  for (const Source& source : pooled.sources)
    sources.push_back({sent(source).nodes.offsets.data(), sent(source).nodes.leaves.data(), sums_of(source)});
  std::vector<float> slots(static_cast<std::size_t>(TreeOrder::max_slots * dim));
  for (Index s = samples.begin; s < samples.end; ++s) {
    Index nodes = 0;
    const float* sum = nullptr;
    for (const NodeSums& source : sources)
      if (const Index more = source.offsets[s + 1] - source.offsets[s]; more > 0) {
        sum = source.sums + source.offsets[s] * dim;
        nodes += more;
      }
    if (nodes > 1) sum = add_nodes(sources, s, dim, slots.data());
    float* to = out + s * pooled_width_;
    if (nodes == 0)
      for (Index c = 0; c < dim; ++c) to[c] = 0.0f;
    else if (pooled.mean)
      for (Index c = 0, length = bag_length(pooled, s); c < dim; ++c) to[c] = sum[c] / static_cast<float>(length);
    else
      for (Index c = 0; c < dim; ++c) to[c] = sum[c];
  }
}

float* Exchange::pooled_gradient(const Exec& exec) {
  reserve(exec, gradients_in_, "tesserec::sharding::gradients_in", own_.gradients_at + total(gradients_asked_));
  return gradients_in_.data();
}

const float* Exchange::send_gradients(const Exec& exec) {
  reserve(exec, gradients_out_, "tesserec::sharding::gradients_out", total(gradients_sent_));
  reserve(exec, fetched_gradients_, "tesserec::sharding::fetched_gradients", fetched_gradients_size_);
  parallel_for(exec, "tesserec::sharding::send_gradients", static_cast<Index>(pooled_.size()), [&](Index i) {
    const Pooled& p = pooled_[i];
    std::vector<Index> lengths;
    for (Index s = 0; p.mean && s < samples_; ++s) lengths.push_back(bag_length(p, s));
    for (const Source& source : p.sources)
      if (!slot(source).gradients_in_place)
        gather_gradients(samples_, p.dim, sent(source).offsets.data(), p.mean ? lengths.data() : nullptr,
                         gradients_in_.data() + p.column, pooled_width_, gradients_of(source));
  });
  parallel_for(exec, "tesserec::sharding::sum_fetched", static_cast<Index>(fetches_.size()), [&](Index i) {
    const Fetch& fetch = fetches_[i];
    std::vector<Index> gradients_at;
    for (std::size_t f = 0; f < tables_[fetch.table].feature_names.size(); ++f)
      gradients_at.push_back(fetched_[fetch.first_slot + f].gradients_at);
    float* to = fetch.owner == comm_.rank() ? gradients_in_.data() : gradients_out_.data();
    fetch.rows.sum_gradients(fetched_gradients_.data(), gradients_at, to + fetch.gradients_at);
  });
  comm_.all_to_all(gradients_out_.data(), gradients_sent_, gradients_in_.data() + own_.gradients_at, gradients_asked_);
  count_bytes(gradients_sent_, sizeof(float));
  return gradients_in_.data();
}

}  // namespace tesserec::sharding
