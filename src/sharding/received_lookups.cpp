// SPDX-License-Identifier: Apache-2.0
#include "received_lookups.hpp"

#include <algorithm>
#include <numeric>

namespace tesserec::sharding {

template <class Visit>
void ReceivedLookups::visit_targets(const BatchSplit& split, int sender, const Visit& visit) {
  const int ranks = split.ranks(), node = int(routes_.node().size());
  const auto visit_own = [&](bool replicated) {
    for (std::size_t i = 0; i < shards_.size(); ++i)
      if (const Routes::OwnShard& own = routes_.own()[i]; !own.fetched && !own.relayed && own.replicated == replicated)
        visit(Target{own, shards_[i], nullptr, replicated ? ranks : 1});
  };
  visit_own(false);
  for (std::size_t i = 0; i < relays_.size() && routes_.is_partner(sender); ++i)
    visit(Target{routes_.relays().shards[i], relays_[i], i > 0 ? &relays_[i - 1] : nullptr, node});
  if (sender == routes_.rank()) visit_own(true);
}

BagForm ReceivedLookups::form_of(const BatchSplit& split, const Routes::OwnShard& own, int sender, Index listed) const {
  return {routes_.samples(split, sender), std::ssize(routes_.tables()[own.table].feature_names), listed,
          sender == routes_.rank()};
}

void ReceivedLookups::expect(Message<std::int32_t>& counts) const {
  for (int sender = 0; sender < routes_.ranks(); ++sender)
    counts.from[sender] = 1 + routes_.id_counts(sender, routes_.rank()) + 2 * own_fetched_;
}

int ReceivedLookups::first_refused(const Message<std::int32_t>& counts) const {
  const std::int32_t* count = counts.in.data();
  for (int sender = 0; sender < routes_.ranks(); count += counts.from[sender++])
    if (*count != 0) return sender;
  return -1;
}

void ReceivedLookups::count(const BatchSplit& split, Messages& messages) {
  const std::int32_t* count = messages.counts.in.data();
  Index offsets = 0, samples = 0;
  for (int sender = 0; sender < routes_.ranks(); ++sender) {
    ++count;  // skips the error flag
    Index words = 0, bag_ids = 0;
    visit_targets(split, sender, [&](const Target& target) {
      if (target.own.same_ids) return;
      const BagForm form = form_of(split, target.own, sender, *count++);
      words += form.words();
      bag_ids = std::accumulate(count, count + form.features, bag_ids);
      count += form.features;
      offsets += form.features * (form.bags() + split.ranks() / routes_.ranks());
      if (!form.dense()) samples += form.listed;
    });
    messages.weights.from[sender] = bag_ids;
    messages.ids.from[sender] = std::accumulate(count, count + 2 * own_fetched_, words + bag_ids);
    count += 2 * own_fetched_;
  }
  offsets_.resize(offsets);
  samples_.resize(samples);
}

void ReceivedLookups::read(const Exec& exec, const BatchSplit& split, const Front& front, Offsets others,
                           Messages& messages) {
  const int ranks = split.ranks(), node = int(routes_.node().size());
  for (std::size_t i = 0; i < shards_.size(); ++i) shards_[i].clear(routes_.own()[i].replicated ? 1 : ranks);
  for (embedding::ShardLookups& relay : relays_) relay.clear(ranks / node);
  fetched_rows_.assign(shards_.size(), 0);
  placed_sums_.assign(shards_.size(), 0);

  Reading at{split,
             messages.counts.in.data(),
             messages.ids.in.data(),
             messages.weights.in.data(),
             offsets_.data(),
             samples_.data(),
             {}};
  for (at.sender = 0; at.sender < routes_.ranks(); ++at.sender) {
    ++at.count;  // skips the error flag
    visit_targets(split, at.sender, [&](const Target& target) { read_bags(target, at); });
    for (std::size_t i = 0; i < shards_.size(); ++i)
      if (routes_.own()[i].fetched) read_rows(i, at);
  }
  find_nodes(exec);
  Placing vectors{split, front, messages.rows, messages.gradients, at.row_sums.data(), {front.end, front.end}, others};
  for (vectors.sender = 0; vectors.sender < routes_.ranks(); ++vectors.sender) {
    visit_targets(split, vectors.sender, [&](const Target& target) { place_bags(target, vectors); });
    for (std::size_t i = 0; i < shards_.size(); ++i)
      if (routes_.own()[i].fetched) place_rows(i, vectors);
  }
}

void ReceivedLookups::take_relayed(ReceivedLookups& inside) {
  auto from = inside.shards_.begin();
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (routes_.own()[i].relayed) std::swap(shards_[i], *from++);
}

/// Reads the bags of one sender, run by run.
void ReceivedLookups::read_bags(const Target& target, Reading& at) {
  const embedding::EmbeddingBagConfig& table = routes_.tables()[target.own.table];
  BagForm form;
  const Index* words = at.ids;
  std::vector<std::int32_t> list;
  if (!target.own.same_ids) {
    form = form_of(at.split, target.own, at.sender, *at.count++);
    at.count += form.features;
    at.ids += form.words();
    if (!form.dense()) {
      list.resize(form.listed);
      for (Index i = 0; i < form.listed; ++i) list[i] = std::int32_t(number_at(words, i));
    }
  }
  Index number = std::ssize(list), before = 0;  // index of a feature's first length; samples of the preceding runs
  for (std::size_t f = 0; f < table.feature_names.size(); ++f, number += form.bags(), before = 0) {
    const bool unpooled = !table.pools(f);
    for (int rank = at.sender; rank < at.split.ranks(); rank += routes_.ranks()) {
      std::vector<embedding::Bags>& run = target.shard.bags[rank / target.ranks];
      if (target.own.same_ids) {
        run.push_back(target.before->bags[rank / target.ranks][f]);
        continue;
      }
      const Range samples = at.split.samples(rank);
      embedding::Bags bags{samples.begin, samples.size(), at.offsets,
                           at.ids,        nullptr,        table.weighted ? at.weights : nullptr};
      bags.unpooled = unpooled;
      Index first = before;  // index of the run's first bag
      if (!form.dense()) {
        const auto begin = std::lower_bound(list.begin(), list.end(), before);
        const auto end = std::lower_bound(begin, list.end(), before + samples.size());
        first = begin - list.begin();
        bags.count = end - begin;
        bags.samples = f > 0 ? run.front().samples : at.samples;
        if (f == 0)
          for (auto sample = begin; sample < end; ++sample) *at.samples++ = *sample - std::int32_t(before);
      }
      at.offsets[0] = 0;
      for (Index b = 0; b < bags.count; ++b) at.offsets[b + 1] = at.offsets[b] + number_at(words, number + first + b);
      at.ids += bags.total();
      at.weights += bags.total();
      at.offsets += bags.count + 1;
      before += samples.size();
      run.push_back(bags);
    }
  }
}

void ReceivedLookups::read_rows(std::size_t i, Reading& at) {
  const Index rows = *at.count++, sums = *at.count++;
  embedding::ShardLookups& shard = shards_[i];
  embedding::Nodes nodes;
  nodes.offsets.resize(rows + 1);
  std::iota(nodes.offsets.begin(), nodes.offsets.end(), Index{0});
  const embedding::Nodes& row_nodes = shard.nodes[at.sender].emplace_back(std::move(nodes));
  shard.bags[at.sender].push_back({.count = rows, .offsets = row_nodes.offsets.data(), .ids = at.ids});
  const int lanes = at.split.lane_count();
  for (Index s = 0; s < sums; ++s) {
    const Index position = at.ids[rows + s] / lanes, leaf = at.ids[rows + s] % lanes;
    shard.gradients.push_back({fetched_rows_[i] + position, s, std::int32_t(leaf), 1.0f});
  }
  at.row_sums.push_back(sums);
  fetched_rows_[i] += rows;
  at.ids += rows + sums;
}

/// Finds the subtree sums that the bags of all shards return.
void ReceivedLookups::find_nodes(const Exec& exec) {
  struct Run {
    const Routes::OwnShard* own;
    embedding::ShardLookups* shard;
    std::size_t run;
  };
  std::vector<Run> runs;
  const auto list = [&](const std::vector<Routes::OwnShard>& own, std::vector<embedding::ShardLookups>& shards) {
    for (std::size_t i = 0; i < shards.size(); ++i)
      for (std::size_t run = 0; run < shards[i].bags.size() && !own[i].fetched; ++run)
        if (!shards[i].bags[run].empty()) runs.push_back({&own[i], &shards[i], run});
  };
  list(routes_.own(), shards_);
  list(routes_.relays().shards, relays_);
  parallel_for(exec, "tesserec::sharding::find_nodes", std::ssize(runs), [&](Index i) {
    const Run& run = runs[i];
    const embedding::BlockOf block_of = routes_.tables()[run.own->table].block_of();
    for (const embedding::Bags& bags : run.shard->bags[run.run])
      run.shard->nodes[run.run].push_back(embedding::subtree_nodes(block_of, run.own->shard.blocks, bags));
  });
}

/// Sets the offsets of the sums and gradients of one sender's bags.
void ReceivedLookups::place_bags(const Target& target, Placing& at) {
  const bool own = at.sender == routes_.rank();
  Offsets& vectors = at.next(routes_.rank());
  const embedding::EmbeddingBagConfig& table = routes_.tables()[target.own.table];
  for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
    const Route& route = routes_.all()[target.own.first_route + f];
    const Offsets begin = vectors;
    const bool sums_in_place = own && route.sums_in_place, gradients_in_place = own && route.gradients_in_place;
    const bool unpooled = route.sequence >= 0;
    const Index stride = unpooled ? table.embedding_dim : routes_.vectors().pooled_width;
    Index in_place = (unpooled ? at.front.sequences[route.sequence].at : at.front.begin) + route.column;
    for (int rank = at.sender; rank < at.split.ranks(); rank += routes_.ranks()) {
      const std::size_t run = rank / target.ranks;
      embedding::Bags& bags = target.shard.bags[run][f];
      bags.gradients_at = gradients_in_place ? in_place : vectors.gradients;
      bags.sums_stride = sums_in_place ? stride : 0;
      bags.gradients_stride = gradients_in_place ? stride : 0;
      target.shard.sums_at[run].push_back(sums_in_place ? in_place : vectors.sums);
      Index with_ids = 0;
      for (Index b = 0; b < bags.count; ++b) with_ids += bags.length(b) > 0;
      if (!sums_in_place) vectors.sums += target.shard.nodes[run][f].begin(bags.count) * route.dim;
      if (!gradients_in_place) vectors.gradients += (unpooled ? bags.total() : with_ids) * route.dim;
      in_place += (unpooled ? bags.total() : bags.count) * stride;
    }
    if (own) continue;
    at.rows.append_send(at.sender, vectors.sums - begin.sums, routes_.finished(route));
    at.gradients.append_receive(at.sender, vectors.gradients - begin.gradients, true);
  }
}

void ReceivedLookups::place_rows(std::size_t i, Placing& at) {
  const Index columns = routes_.own()[i].shard.columns.size();
  embedding::ShardLookups& shard = shards_[i];
  Offsets& vectors = at.next(routes_.rank());
  shard.sums_at[at.sender].push_back(vectors.sums);
  const Index rows = shard.bags[at.sender].front().count, sums = *at.row_sums++;
  for (Index s = 0; s < sums; ++s) {
    embedding::RowUse& use = shard.gradients[placed_sums_[i]++];
    use.gradient = vectors.gradients + use.gradient * columns;
  }
  vectors.sums += rows * columns;
  vectors.gradients += sums * columns;
  if (at.sender == routes_.rank()) return;
  at.rows.append_send(at.sender, rows * columns, false);
  at.gradients.append_receive(at.sender, sums * columns, false);
}

}  // namespace tesserec::sharding
