// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <tesserec/core/error.hpp>
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

}  // namespace

Exchange::Exchange(const comm::Communicator& comm, std::span<const embedding::EmbeddingBagConfig> tables,
                   const ShardingPlan& plan, const std::vector<std::string>& features, const Lanes& lanes)
    : comm_(comm), tables_(tables.begin(), tables.end()), lanes_(lanes), slots_(comm.size()), sent_(comm.size()) {
  const int me = comm.rank();
  std::vector<Slot> data_parallel;
  std::vector<AskedShard> asked_data_parallel;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = tables_[t];
    weighted_ = weighted_ || table.weighted;
    const bool mine_alone = plan[t].type == ShardingType::data_parallel;
    const std::vector<Shard> shards = mine_alone ? cut(table, 1, 1, std::vector<int>{me}) : plan[t].shards;
    for (const Shard& shard : shards) {
      if (shard.rank == me) (mine_alone ? asked_data_parallel : asked_).push_back({t, {}, {}, {}});
      std::vector<Slot>& list = mine_alone ? data_parallel : slots_[shard.rank];
      for (std::size_t f = 0; f < table.feature_names.size(); ++f)
        list.push_back({t, shard.blocks, key_of(features, table.feature_names[f], table.name),
                        pooled_width_ + static_cast<Index>(f) * table.embedding_dim + shard.columns.begin,
                        shard.columns.size()});
    }
    for (std::size_t f = 0; f < table.feature_names.size(); ++f, pooled_width_ += table.embedding_dim) {
      Index next = 0;
      for (const Shard& shard : shards) {
        if (shard.columns.begin != next) continue;  // another piece of the rows
        pooled_.push_back({pooled_width_ + next, shard.columns.size(), table.pooling == embedding::PoolingType::mean, {}});
        next = shard.columns.end;
      }
    }
  }
  own_data_parallel_ = data_parallel.size();
  slots_[me].insert(slots_[me].end(), data_parallel.begin(), data_parallel.end());
  asked_.insert(asked_.end(), asked_data_parallel.begin(), asked_data_parallel.end());
  for (int owner = 0; owner < comm.size(); ++owner) {
    sent_[owner].resize(slots_[owner].size());
    for (std::size_t k = 0; k < slots_[owner].size(); ++k)
      for (Pooled& p : pooled_)
        if (p.column == slots_[owner][k].column) p.sources.push_back({owner, k});
  }
  for (Pooled& p : pooled_)
    std::sort(p.sources.begin(), p.sources.end(), [this](const Source& a, const Source& b) {
      return slots_[a.owner][a.slot].blocks.begin < slots_[b.owner][b.slot].blocks.begin;
    });
}

std::size_t Exchange::slot_count(int sender, int owner) const {
  const bool without = owner == comm_.rank() && sender != owner;
  return slots_[owner].size() - (without ? own_data_parallel_ : 0);
}

void Exchange::count_bytes(std::span<const Index> counts, Index element) {
  bytes_sent_ += (total(counts) - counts[comm_.rank()]) * element;
}

void Exchange::fill_slot(const jagged::KeyedJaggedTensor& sparse, const Slot& slot, Index first_sample, Sent& sent) {
  const embedding::EmbeddingBagConfig& table = tables_[slot.table];
  const embedding::RowBlocks blocks(table.num_embeddings);
  const Range rows = blocks.rows(slot.blocks);
  const auto ids_at = static_cast<Index>(ids_out_.size());
  if (table.weighted && !sparse.weighted())
    fail("table ", table.name, " is weighted, but the data has no weights for feature ", sparse.keys[slot.key]);
  sent.offsets.resize(static_cast<std::size_t>(samples_ + 1));
  sent.offsets[0] = 0;
  for (Index s = 0; s < samples_; ++s) {
    const Index begin = sparse.begin(slot.key, s);
    for (Index i = begin; i < begin + sparse.length(slot.key, s); ++i) {
      const Index id = sparse.values(i);
      if (id < 0 || id >= table.num_embeddings)
        fail("feature ", sparse.keys[slot.key], ", sample ", first_sample + s, " of the batch: id ", id,
             " is outside table ", table.name, " of ", table.num_embeddings, " rows");
      if (!rows.contains(id)) continue;
      ids_out_.push_back(id);
      if (weighted_) weights_out_.push_back(table.weighted ? sparse.weights(i) : 1.0f);
    }
    sent.offsets[s + 1] = static_cast<Index>(ids_out_.size()) - ids_at;
    lengths_out_.push_back(static_cast<std::int32_t>(sent.length(s)));
  }
  embedding::Bags bags;
  bags.count = samples_;
  bags.offsets = sent.offsets.data();
  bags.ids = ids_out_.data() + ids_at;
  sent.nodes = embedding::subtree_nodes(blocks, slot.blocks, bags);
}

const std::vector<AskedShard>& Exchange::send_ids(const jagged::KeyedJaggedTensor& sparse, Index global_size) {
  const int ranks = comm_.size(), me = comm_.rank();
  const Index first_sample = lanes_.samples_of_rank(me, ranks, global_size).begin;
  samples_ = sparse.stride;
  lengths_out_.clear(), ids_out_.clear(), weights_out_.clear();
  bytes_sent_ = 0;

  std::vector<Index> lengths_to(ranks), lengths_from(ranks), ids_to(ranks), ids_from(ranks);
  rows_asked_.assign(ranks, 0), gradients_sent_.assign(ranks, 0);
  Index rows_at = 0, gradients_at = 0;
  for (int owner = 0; owner < ranks; ++owner) {
    const auto ids_before = static_cast<Index>(ids_out_.size());
    for (std::size_t k = 0; k < slots_[owner].size(); ++k) {
      const Slot& slot = slots_[owner][k];
      Sent& sent = sent_[owner][k];
      fill_slot(sparse, slot, first_sample, sent);
      sent.rows_at = rows_at;
      sent.gradients_at = gradients_at;
      const Index rows = sent.nodes.offsets[samples_] * slot.dim;
      Index gradients = 0;
      for (Index s = 0; s < samples_; ++s) gradients += sent.length(s) > 0 ? slot.dim : 0;
      rows_asked_[owner] += rows, gradients_sent_[owner] += gradients;
      rows_at += rows, gradients_at += gradients;
    }
    lengths_to[owner] = static_cast<Index>(slots_[owner].size()) * samples_;
    ids_to[owner] = static_cast<Index>(ids_out_.size()) - ids_before;
    lengths_from[owner] =
        static_cast<Index>(slot_count(owner, me)) * lanes_.samples_of_rank(owner, ranks, global_size).size();
  }
  lengths_in_.resize(static_cast<std::size_t>(total(lengths_from)));
  comm_.all_to_all(lengths_out_.data(), lengths_to, lengths_in_.data(), lengths_from);
  const std::int32_t* length = lengths_in_.data();
  for (int sender = 0; sender < ranks; ++sender)
    for (Index i = 0; i < lengths_from[sender]; ++i) ids_from[sender] += *length++;
  ids_in_.resize(static_cast<std::size_t>(total(ids_from)));
  comm_.all_to_all(ids_out_.data(), ids_to, ids_in_.data(), ids_from);
  if (weighted_) {
    weights_in_.resize(ids_in_.size());
    comm_.all_to_all(weights_out_.data(), ids_to, weights_in_.data(), ids_from);
    count_bytes(ids_to, sizeof(float));
  }
  count_bytes(lengths_to, sizeof(std::int32_t));
  count_bytes(ids_to, sizeof(Index));
  ask(global_size);
  return asked_;
}

void Exchange::ask(Index global_size) {
  const int ranks = comm_.size(), me = comm_.rank();
  for (AskedShard& shard : asked_) shard.bags.clear(), shard.nodes.clear(), shard.rows_at.clear();
  rows_sent_.assign(ranks, 0), gradients_asked_.assign(ranks, 0);
  Index bag_count = 0;
  for (int sender = 0; sender < ranks; ++sender)
    bag_count += static_cast<Index>(slot_count(sender, me)) *
                 (lanes_.samples_of_rank(sender, ranks, global_size).size() + 1);
  offsets_in_.resize(static_cast<std::size_t>(bag_count));

  Index* offsets = offsets_in_.data();
  const std::int32_t* length = lengths_in_.data();
  Index ids_at = 0, rows_at = 0, gradients_at = 0;
  for (int sender = 0; sender < ranks; ++sender) {
    const Range samples = lanes_.samples_of_rank(sender, ranks, global_size);
    std::size_t k = 0;
    for (AskedShard& shard : asked_) {
      if (k == slot_count(sender, me)) break;  // the data-parallel shards come last
      shard.bags.emplace_back(), shard.nodes.emplace_back(), shard.rows_at.emplace_back();
      const embedding::EmbeddingBagConfig& table = tables_[shard.table];
      for (std::size_t f = 0; f < table.feature_names.size(); ++f, ++k) {
        embedding::Bags bags{samples.begin, samples.size(), offsets, ids_in_.data() + ids_at,
                             table.weighted ? weights_in_.data() + ids_at : nullptr, gradients_at};
        offsets[0] = 0;
        Index vectors = 0;
        for (Index s = 0; s < bags.count; ++s) {
          vectors += *length > 0;
          offsets[s + 1] = offsets[s] + *length++;
        }
        shard.bags.back().push_back(bags);
        shard.nodes.back().push_back(
            embedding::subtree_nodes(embedding::RowBlocks(table.num_embeddings), slots_[me][k].blocks, bags));
        shard.rows_at.back().push_back(rows_at);
        const Index dim = slots_[me][k].dim;
        const Index rows = shard.nodes.back().back().offsets[bags.count] * dim;
        rows_at += rows, rows_sent_[sender] += rows;
        gradients_at += vectors * dim, gradients_asked_[sender] += vectors * dim;
        ids_at += offsets[bags.count];
        offsets += bags.count + 1;
      }
    }
  }
}

float* Exchange::rows(const Exec& exec) {
  reserve(exec, rows_out_, "tesserec::sharding::rows_out", total(rows_sent_));
  return rows_out_.data();
}

void Exchange::return_rows(const Exec& exec, float* pooled) {
  reserve(exec, rows_in_, "tesserec::sharding::rows_in", total(rows_asked_));
  comm_.all_to_all(rows_out_.data(), rows_sent_, rows_in_.data(), rows_asked_);
  count_bytes(rows_sent_, sizeof(float));
  const float* rows = rows_in_.data();
  Index widest = 0;
  for (const Pooled& p : pooled_) widest = std::max(widest, p.dim);
  parallel_for(exec, "tesserec::sharding::pool", (samples_ + samples_per_task - 1) / samples_per_task, [&](Index task) {
    std::vector<float> slots(static_cast<std::size_t>(TreeOrder::max_slots * widest));
    const Index end = std::min(samples_, (task + 1) * samples_per_task);
    for (const Pooled& p : pooled_)
      for (Index s = task * samples_per_task; s < end; ++s)
        pool_sample(p, s, rows, pooled + s * pooled_width_ + p.column, slots.data());
  });
}

Index Exchange::bag_length(const Pooled& pooled, Index sample) const {
  Index length = 0;
  for (const Source& source : pooled.sources) length += sent_[source.owner][source.slot].length(sample);
  return length;
}

void Exchange::pool_sample(const Pooled& pooled, Index sample, const float* rows, float* out, float* slots) const {
  const Index dim = pooled.dim;
  const float* sum = nullptr;
  if (pooled.sources.size() == 1) {
    const Sent& sent = sent_[pooled.sources[0].owner][pooled.sources[0].slot];
    if (sent.length(sample) > 0) sum = rows + sent.rows_at + sent.nodes.offsets[sample] * dim;
  } else {
    TreeOrder tree(whole_tree);
    const auto merge = [&](int into, int from) {
      for (Index c = 0; c < dim; ++c) slots[into * dim + c] += slots[from * dim + c];
    };
    for (const Source& source : pooled.sources) {
      const Sent& sent = sent_[source.owner][source.slot];
      for (Index node = sent.nodes.offsets[sample]; node < sent.nodes.offsets[sample + 1]; ++node) {
        const int slot = tree.push(sent.nodes.leaves[node], merge);
        std::copy_n(rows + sent.rows_at + node * dim, dim, slots + slot * dim);
      }
    }
    tree.finish(merge);
    if (tree.size() > 0) sum = slots;
  }
  if (sum == nullptr) {
    std::fill_n(out, dim, 0.0f);
  } else if (pooled.mean) {
    const auto length = static_cast<float>(bag_length(pooled, sample));
    for (Index c = 0; c < dim; ++c) out[c] = sum[c] / length;
  } else {
    std::copy_n(sum, dim, out);
  }
}

const float* Exchange::send_gradients(const Exec& exec, const float* pooled_gradient) {
  reserve(exec, gradients_out_, "tesserec::sharding::gradients_out", total(gradients_sent_));
  reserve(exec, gradients_in_, "tesserec::sharding::gradients_in", total(gradients_asked_));
  float* out = gradients_out_.data();
  parallel_for(exec, "tesserec::sharding::send_gradients", static_cast<Index>(pooled_.size()), [&](Index i) {
    const Pooled& p = pooled_[i];
    for (const Source& source : p.sources) {
      const Sent& sent = sent_[source.owner][source.slot];
      float* next = out + sent.gradients_at;
      for (Index s = 0; s < samples_; ++s) {
        if (sent.length(s) == 0) continue;
        const float* gradient = pooled_gradient + s * pooled_width_ + p.column;
        const auto length = static_cast<float>(p.mean ? bag_length(p, s) : 1);
        for (Index c = 0; c < p.dim; ++c) next[c] = gradient[c] / length;
        next += p.dim;
      }
    }
  });
  comm_.all_to_all(out, gradients_sent_, gradients_in_.data(), gradients_asked_);
  count_bytes(gradients_sent_, sizeof(float));
  return gradients_in_.data();
}

}  // namespace tesserec::sharding
