// SPDX-License-Identifier: Apache-2.0
// Ids to owners, and what is asked of this rank.
#include <cassert>
#include <numeric>

#include <tesserec/core/error.hpp>
#include <tesserec/sharding/exchange.hpp>

namespace tesserec::sharding {
namespace {

Index total(std::span<const Index> counts) { return std::accumulate(counts.begin(), counts.end(), Index{0}); }

}  // namespace

void Exchange::fill_slot(const jagged::KeyedJaggedTensor& sparse, const Slot& slot, Index first_sample, Sent& sent) {
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

const std::vector<AskedShard>& Exchange::send_ids(const jagged::KeyedJaggedTensor& sparse, Index global_size) {
  start_ids(sparse, global_size);
  return finish_ids();
}

void Exchange::start_ids(const jagged::KeyedJaggedTensor& sparse, Index global_size) {
  assert(ids_ == Ids::none);
  if (sparse.variable_stride())
    fail("the ids have a number of samples for each key; sharded tables need one for all keys");
  const int ranks = comm_.size(), me = comm_.rank();
  const Index first_sample = lanes_.samples_of_rank(me, ranks, global_size).begin;
  samples_ = sparse.stride;
  global_size_ = global_size;
  lengths_out_.clear(), ids_out_.clear(), weights_out_.clear();
  bytes_sent_ = 0;
  for (auto* counts : {&lengths_to_, &lengths_from_, &ids_to_, &ids_from_, &weights_to_, &weights_from_, &rows_asked_,
                       &gradients_sent_})
    counts->assign(ranks, 0);
  fetched_sums_size_ = fetched_gradients_size_ = 0;
  Place own = after_pooled(), others;
  auto fetch = fetches_.begin();
  for (int owner = 0; owner < ranks; ++owner) {
    auto& [rows_at, gradients_at] = owner == me ? own : others;
    const std::size_t lengths_before = lengths_out_.size(), ids_before = ids_out_.size();
    const std::size_t weights_before = weights_out_.size();
    const Index rows_before = rows_at, gradients_before = gradients_at;
    for (std::size_t k = 0; k < slots_[owner].size(); ++k) {
      const Slot& slot = slots_[owner][k];
      Sent& sent = sent_[owner][k];
      fill_slot(sparse, slot, first_sample, sent);
      sent.rows_at = rows_at;
      sent.gradients_at = gradients_at;
      if (!slot.sums_in_place) rows_at += sent.nodes.offsets[samples_] * slot.dim;
      if (!slot.gradients_in_place) gradients_at += sent.vectors() * slot.dim;
    }
    weights_to_[owner] = static_cast<Index>(weights_out_.size() - weights_before);
    for (; fetch != fetches_.end() && fetch->owner == owner; ++fetch) {
      fetch->rows.collect(sparse, lanes_, lanes_.of_rank(me, ranks), first_sample, global_size);
      fetch->rows_at = rows_at;
      fetch->gradients_at = gradients_at;
      ask_for(*fetch);
      rows_at += static_cast<Index>(fetch->rows.rows().size()) * fetch->rows.dim();
      gradients_at += static_cast<Index>(fetch->rows.sums().size()) * fetch->rows.dim();
    }
    lengths_to_[owner] = static_cast<Index>(lengths_out_.size() - lengths_before);
    ids_to_[owner] = static_cast<Index>(ids_out_.size() - ids_before);
    if (owner != me)
      rows_asked_[owner] = rows_at - rows_before, gradients_sent_[owner] = gradients_at - gradients_before;
    lengths_from_[owner] =
        static_cast<Index>(slot_count(owner, me)) * lanes_.samples_of_rank(owner, ranks, global_size).size() +
        2 * own_fetched_;
  }
  own_ = own;
  lengths_in_.resize(static_cast<std::size_t>(total(lengths_from_)));
  numbers_ = comm_.start_all_to_all(lengths_out_.data(), lengths_to_, lengths_in_.data(), lengths_from_);
  ids_ = Ids::numbers_sent;
}

void Exchange::continue_ids() {
  assert(ids_ == Ids::numbers_sent);
  numbers_.wait();
  const std::int32_t* length = lengths_in_.data();
  for (int sender = 0; sender < comm_.size(); ++sender)
    for (Index i = 0; i < lengths_from_[sender]; ++i) {
      if (i < lengths_from_[sender] - 2 * own_fetched_) weights_from_[sender] += *length;
      ids_from_[sender] += *length++;
    }
  ids_in_.resize(static_cast<std::size_t>(total(ids_from_)));
  id_messages_ = comm_.start_all_to_all(ids_out_.data(), ids_to_, ids_in_.data(), ids_from_);
  if (weighted_) {
    weights_in_.resize(static_cast<std::size_t>(total(weights_from_)));
    weight_messages_ = comm_.start_all_to_all(weights_out_.data(), weights_to_, weights_in_.data(), weights_from_);
    count_bytes(weights_to_, sizeof(float));
  }
  count_bytes(lengths_to_, sizeof(std::int32_t));
  count_bytes(ids_to_, sizeof(Index));
  ids_ = Ids::sent;
}

const std::vector<AskedShard>& Exchange::finish_ids() {
  if (ids_ == Ids::numbers_sent) continue_ids();
  assert(ids_ == Ids::sent);
  id_messages_.wait();
  weight_messages_.wait();
  ids_ = Ids::none;
  ask();
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

void Exchange::ask() {
  const int ranks = comm_.size(), me = comm_.rank();
  for (AskedShard& shard : asked_) shard.bags.clear(), shard.nodes.clear(), shard.rows_at.clear(), shard.sums.clear();
  rows_sent_.assign(ranks, 0), gradients_asked_.assign(ranks, 0);
  Index offset_count = 0;
  for (int sender = 0; sender < ranks; ++sender)
    offset_count +=
        static_cast<Index>(slot_count(sender, me)) * (lanes_.samples_of_rank(sender, ranks, global_size_).size() + 1);
  offsets_in_.resize(static_cast<std::size_t>(offset_count));

  Index* offsets = offsets_in_.data();
  const std::int32_t* length = lengths_in_.data();
  Index ids_at = 0, weights_at = 0;
  Place own = after_pooled(), others = own_;
  for (int sender = 0; sender < ranks; ++sender) {
    auto& [rows_at, gradients_at] = sender == me ? own : others;
    const Index rows_before = rows_at, gradients_before = gradients_at;
    const Range samples = lanes_.samples_of_rank(sender, ranks, global_size_);
    std::size_t k = 0;
    for (AskedShard& shard : asked_) {
      if (shard.fetched) continue;
      if (k == slot_count(sender, me)) break;  // the data-parallel shards come last
      shard.bags.emplace_back(), shard.nodes.emplace_back(), shard.rows_at.emplace_back();
      const embedding::EmbeddingBagConfig& table = tables_[shard.table];
      for (std::size_t f = 0; f < table.feature_names.size(); ++f, ++k) {
        const Slot& slot = slots_[me][k];
        const bool in_place = sender == me && slot.sums_in_place;
        const bool gradients_in_place = sender == me && slot.gradients_in_place;
        embedding::Bags bags{samples.begin,
                             samples.size(),
                             offsets,
                             ids_in_.data() + ids_at,
                             nullptr,
                             table.weighted ? weights_in_.data() + weights_at : nullptr,
                             gradients_in_place ? slot.column : gradients_at,
                             in_place ? pooled_width_ : 0,
                             gradients_in_place ? pooled_width_ : 0};
        offsets[0] = 0;
        Index vectors = 0;
        for (Index s = 0; s < bags.count; ++s) {
          vectors += *length > 0;
          offsets[s + 1] = offsets[s] + *length++;
        }
        shard.bags.back().push_back(bags);
        shard.nodes.back().push_back(
            embedding::subtree_nodes(embedding::RowBlocks(table.num_embeddings), slot.blocks, bags));
        shard.rows_at.back().push_back(in_place ? slot.column : rows_at);
        if (!in_place) rows_at += shard.nodes.back().back().offsets[bags.count] * slot.dim;
        if (!gradients_in_place) gradients_at += vectors * slot.dim;
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
    if (sender != me)
      rows_sent_[sender] = rows_at - rows_before, gradients_asked_[sender] = gradients_at - gradients_before;
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
    shard.sums.push_back(
        {ids[position] - shard.first_row, gradients_at + i * shard.columns, static_cast<std::int32_t>(leaf), 1.0f});
  }
}

}  // namespace tesserec::sharding
