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
    : comm_(comm),
      tables_(tables.begin(), tables.end()),
      lanes_(lanes),
      slots_(comm.size()),
      sent_(comm.size()) {
  const int me = comm.rank();
  std::vector<Slot> data_parallel;
  std::vector<AskedShard> asked_data_parallel;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = tables_[t];
    weighted_ = weighted_ || table.weighted;
    const bool mine_alone = plan[t].type == ShardingType::data_parallel;
    const std::vector<Shard> shards = mine_alone ? cut(table, 1, 1, std::vector<int>{me}) : plan[t].shards;
    for (const Shard& shard : shards) {
      const bool rows = !mine_alone && plan[t].form == ExchangeForm::rows;
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
      for (const std::string& feature : table.feature_names)
        keys.push_back(key_of(features, feature, table.name));
      if (rows) fetches_.push_back({RowFetch(table, shard, keys), t, shard.rank, list.size()});
      for (std::size_t f = 0; f < keys.size(); ++f)
        list.push_back({t, shard.blocks, keys[f],
                        pooled_width_ + static_cast<Index>(f) * table.embedding_dim + shard.columns.begin,
                        shard.columns.size()});
    }
    for (std::size_t f = 0; f < table.feature_names.size(); ++f, pooled_width_ += table.embedding_dim) {
      Index next = 0;
      for (const Shard& shard : shards) {
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
  std::stable_sort(fetches_.begin(), fetches_.end(),
                   [](const Fetch& a, const Fetch& b) { return a.owner < b.owner; });
  for (Pooled& p : pooled_)
    std::sort(p.sources.begin(), p.sources.end(), [this](const Source& a, const Source& b) {
      return slot(a).blocks.begin < slot(b).blocks.begin;
    });
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

void Exchange::count_bytes(std::span<const Index> counts, Index element) {
  bytes_sent_ += (total(counts) - counts[comm_.rank()]) * element;
}

void Exchange::fill_slot(const jagged::KeyedJaggedTensor& sparse, const Slot& slot, Index first_sample,
                         Sent& sent) {
  const embedding::EmbeddingBagConfig& table = tables_[slot.table];
  const embedding::RowBlocks blocks(table.num_embeddings);
  const std::size_t ids_at = ids_out_.size();
  select_ids(table, sparse, slot.key, blocks.rows(slot.blocks), first_sample, sent.offsets, ids_out_,
             weighted_ ? &weights_out_ : nullptr);
  for (Index s = 0; s < samples_; ++s) lengths_out_.push_back(static_cast<std::int32_t>(sent.length(s)));
  embedding::Bags bags;
  bags.count = samples_;
  bags.offsets = sent.offsets.data();
  bags.ids = ids_out_.data() + ids_at;
  sent.nodes = embedding::subtree_nodes(blocks, slot.blocks, bags);
}

const std::vector<AskedShard>& Exchange::send_ids(const jagged::KeyedJaggedTensor& sparse,
                                                  Index global_size) {
  const int ranks = comm_.size(), me = comm_.rank();
  const Index first_sample = lanes_.samples_of_rank(me, ranks, global_size).begin;
  samples_ = sparse.stride;
  lengths_out_.clear(), ids_out_.clear(), weights_out_.clear();
  bytes_sent_ = 0;

  std::vector<Index> lengths_to(ranks), lengths_from(ranks), ids_to(ranks), ids_from(ranks),
      weights_to(ranks), weights_from(ranks);
  rows_asked_.assign(ranks, 0), gradients_sent_.assign(ranks, 0);
  fetched_sums_size_ = fetched_gradients_size_ = 0;
  Index rows_at = 0, gradients_at = 0;
  auto fetch = fetches_.begin();
  for (int owner = 0; owner < ranks; ++owner) {
    const std::size_t lengths_before = lengths_out_.size(), ids_before = ids_out_.size(),
                      weights_before = weights_out_.size();
    const Index rows_before = rows_at, gradients_before = gradients_at;
    for (std::size_t k = 0; k < slots_[owner].size(); ++k) {
      const Slot& slot = slots_[owner][k];
      Sent& sent = sent_[owner][k];
      fill_slot(sparse, slot, first_sample, sent);
      sent.rows_at = rows_at;
      sent.gradients_at = gradients_at;
      rows_at += sent.nodes.offsets[samples_] * slot.dim;
      gradients_at += sent.vectors() * slot.dim;
    }
    weights_to[owner] = static_cast<Index>(weights_out_.size() - weights_before);
    for (; fetch != fetches_.end() && fetch->owner == owner; ++fetch) {
      fetch->rows.collect(sparse, lanes_, lanes_.of_rank(me, ranks), first_sample, global_size);
      fetch->rows_at = rows_at;
      fetch->gradients_at = gradients_at;
      ask_for(*fetch);
      rows_at += static_cast<Index>(fetch->rows.rows().size()) * fetch->rows.dim();
      gradients_at += static_cast<Index>(fetch->rows.sums().size()) * fetch->rows.dim();
    }
    lengths_to[owner] = static_cast<Index>(lengths_out_.size() - lengths_before);
    ids_to[owner] = static_cast<Index>(ids_out_.size() - ids_before);
    rows_asked_[owner] = rows_at - rows_before;
    gradients_sent_[owner] = gradients_at - gradients_before;
    lengths_from[owner] =
        static_cast<Index>(slot_count(owner, me)) * lanes_.samples_of_rank(owner, ranks, global_size).size() +
        2 * own_fetched_;
  }
  lengths_in_.resize(static_cast<std::size_t>(total(lengths_from)));
  comm_.all_to_all(lengths_out_.data(), lengths_to, lengths_in_.data(), lengths_from);
  const std::int32_t* length = lengths_in_.data();
  for (int sender = 0; sender < ranks; ++sender)
    for (Index i = 0; i < lengths_from[sender]; ++i) {
      if (i < lengths_from[sender] - 2 * own_fetched_) weights_from[sender] += *length;
      ids_from[sender] += *length++;
    }
  ids_in_.resize(static_cast<std::size_t>(total(ids_from)));
  comm_.all_to_all(ids_out_.data(), ids_to, ids_in_.data(), ids_from);
  if (weighted_) {
    weights_in_.resize(static_cast<std::size_t>(total(weights_from)));
    comm_.all_to_all(weights_out_.data(), weights_to, weights_in_.data(), weights_from);
    count_bytes(weights_to, sizeof(float));
  }
  count_bytes(lengths_to, sizeof(std::int32_t));
  count_bytes(ids_to, sizeof(Index));
  ask(global_size);
  return asked_;
}

void Exchange::ask_for(Fetch& fetch) {
  const RowFetch& rows = fetch.rows;
  lengths_out_.push_back(static_cast<std::int32_t>(rows.rows().size()));
  lengths_out_.push_back(static_cast<std::int32_t>(rows.sums().size()));
  ids_out_.insert(ids_out_.end(), rows.rows().begin(), rows.rows().end());
  ids_out_.insert(ids_out_.end(), rows.sums().begin(), rows.sums().end());
  for (std::size_t f = 0; f < tables_[fetch.table].feature_names.size(); ++f) {
    Sent& sent = fetched_[fetch.first_slot + f];
    sent.offsets.assign(rows.bags(f).offsets, rows.bags(f).offsets + samples_ + 1);
    sent.nodes = rows.nodes(f);
    sent.rows_at = fetched_sums_size_;
    sent.gradients_at = fetched_gradients_size_;
    fetched_sums_size_ += sent.nodes.offsets[samples_] * rows.dim();
    fetched_gradients_size_ += sent.vectors() * rows.dim();
  }
}

void Exchange::ask(Index global_size) {
  const int ranks = comm_.size(), me = comm_.rank();
  for (AskedShard& shard : asked_)
    shard.bags.clear(), shard.nodes.clear(), shard.rows_at.clear(), shard.sums.clear();
  rows_sent_.assign(ranks, 0), gradients_asked_.assign(ranks, 0);
  Index offset_count = 0;
  for (int sender = 0; sender < ranks; ++sender)
    offset_count += static_cast<Index>(slot_count(sender, me)) *
                    (lanes_.samples_of_rank(sender, ranks, global_size).size() + 1);
  offsets_in_.resize(static_cast<std::size_t>(offset_count));

  Index* offsets = offsets_in_.data();
  const std::int32_t* length = lengths_in_.data();
  Index ids_at = 0, weights_at = 0, rows_at = 0, gradients_at = 0;
  for (int sender = 0; sender < ranks; ++sender) {
    const Index rows_before = rows_at, gradients_before = gradients_at;
    const Range samples = lanes_.samples_of_rank(sender, ranks, global_size);
    std::size_t k = 0;
    for (AskedShard& shard : asked_) {
      if (shard.fetched) continue;
      if (k == slot_count(sender, me)) break;  // the data-parallel shards come last
      shard.bags.emplace_back(), shard.nodes.emplace_back(), shard.rows_at.emplace_back();
      const embedding::EmbeddingBagConfig& table = tables_[shard.table];
      for (std::size_t f = 0; f < table.feature_names.size(); ++f, ++k) {
        embedding::Bags bags{samples.begin, samples.size(),
                             offsets,       ids_in_.data() + ids_at,
                             nullptr,       table.weighted ? weights_in_.data() + weights_at : nullptr,
                             gradients_at};
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
        rows_at += shard.nodes.back().back().offsets[bags.count] * dim;
        gradients_at += vectors * dim;
        ids_at += offsets[bags.count], weights_at += offsets[bags.count];
        offsets += bags.count + 1;
      }
    }
    for (AskedShard& shard : asked_) {
      if (!shard.fetched) continue;
      const Index rows = *length++, sums = *length++;
      ask_rows(shard, ids_in_.data() + ids_at, rows, sums, gradients_at);
      shard.rows_at.push_back({rows_at});
      ids_at += rows + sums;
      rows_at += rows * shard.columns;
      gradients_at += sums * shard.columns;
    }
    rows_sent_[sender] = rows_at - rows_before;
    gradients_asked_[sender] = gradients_at - gradients_before;
  }
}

void Exchange::ask_rows(AskedShard& shard, const Index* ids, Index rows, Index sums, Index gradients_at) {
  embedding::Nodes nodes;
  nodes.offsets.resize(static_cast<std::size_t>(rows + 1));
  std::iota(nodes.offsets.begin(), nodes.offsets.end(), Index{0});
  shard.nodes.push_back({std::move(nodes)});
  embedding::Bags bags;
  bags.count = rows;
  bags.offsets = shard.nodes.back().front().offsets.data();
  bags.ids = ids;
  shard.bags.push_back({bags});
  for (Index i = 0; i < sums; ++i) {
    const Index position = ids[rows + i] / lanes_.count(), leaf = ids[rows + i] % lanes_.count();
    shard.sums.push_back({ids[position] - shard.first_row, gradients_at + i * shard.columns,
                          static_cast<std::int32_t>(leaf), 1.0f});
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
  pool_fetched(exec);
  Index widest = 0;
  for (const Pooled& p : pooled_) widest = std::max(widest, p.dim);
  parallel_for(exec, "tesserec::sharding::pool", (samples_ + samples_per_task - 1) / samples_per_task,
               [&](Index task) {
                 std::vector<float> slots(static_cast<std::size_t>(TreeOrder::max_slots * widest));
                 const Index end = std::min(samples_, (task + 1) * samples_per_task);
                 for (const Pooled& p : pooled_)
                   for (Index s = task * samples_per_task; s < end; ++s)
                     pool_sample(p, s, pooled + s * pooled_width_ + p.column, slots.data());
               });
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
      fetch.rows.pool(f, rows_in_.data() + fetch.rows_at,
                      fetched_sums_.data() + fetched_[fetch.first_slot + f].rows_at);
  });
}

void Exchange::pool_sample(const Pooled& pooled, Index sample, float* out, float* slots) const {
  const auto sums_of = [this](const Source& source) {
    return (source.owner == Source::fetched ? fetched_sums_.data() : rows_in_.data()) + sent(source).rows_at;
  };
  const Index dim = pooled.dim;
  const float* sum = nullptr;
  if (pooled.sources.size() == 1) {
    const Source& only = pooled.sources[0];
    if (sent(only).length(sample) > 0) sum = sums_of(only) + sent(only).nodes.offsets[sample] * dim;
  } else {
    TreeOrder tree(whole_tree);
    const auto merge = [&](int into, int from) {
      for (Index c = 0; c < dim; ++c) slots[into * dim + c] += slots[from * dim + c];
    };
    for (const Source& source : pooled.sources) {
      const embedding::Nodes& nodes = sent(source).nodes;
      for (Index node = nodes.offsets[sample]; node < nodes.offsets[sample + 1]; ++node) {
        const int slot = tree.push(nodes.leaves[node], merge);
        std::copy_n(sums_of(source) + node * dim, dim, slots + slot * dim);
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
  reserve(exec, fetched_gradients_, "tesserec::sharding::fetched_gradients", fetched_gradients_size_);
  float* out = gradients_out_.data();
  parallel_for(exec, "tesserec::sharding::send_gradients", static_cast<Index>(pooled_.size()), [&](Index i) {
    const Pooled& p = pooled_[i];
    for (const Source& source : p.sources) {
      const Sent& sent = this->sent(source);
      float* next = (source.owner == Source::fetched ? fetched_gradients_.data() : out) + sent.gradients_at;
      for (Index s = 0; s < samples_; ++s) {
        if (sent.length(s) == 0) continue;
        const float* gradient = pooled_gradient + s * pooled_width_ + p.column;
        const auto length = static_cast<float>(p.mean ? bag_length(p, s) : 1);
        for (Index c = 0; c < p.dim; ++c) next[c] = gradient[c] / length;
        next += p.dim;
      }
    }
  });
  parallel_for(exec, "tesserec::sharding::sum_fetched", static_cast<Index>(fetches_.size()), [&](Index i) {
    const Fetch& fetch = fetches_[i];
    std::vector<Index> gradients_at;
    for (std::size_t f = 0; f < tables_[fetch.table].feature_names.size(); ++f)
      gradients_at.push_back(fetched_[fetch.first_slot + f].gradients_at);
    fetch.rows.sum_gradients(fetched_gradients_.data(), gradients_at, out + fetch.gradients_at);
  });
  comm_.all_to_all(out, gradients_sent_, gradients_in_.data(), gradients_asked_);
  count_bytes(gradients_sent_, sizeof(float));
  return gradients_in_.data();
}

}  // namespace tesserec::sharding
