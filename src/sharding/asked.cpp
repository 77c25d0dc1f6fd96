// SPDX-License-Identifier: Apache-2.0
#include "asked.hpp"

#include <numeric>

namespace tesserec::sharding {

void Asked::expect(const BatchSplit& split, Message<std::int32_t>& counts) const {
  for (int sender = 0; sender < routes_.ranks(); ++sender)
    counts.from[sender] =
        1 + routes_.with_ids(sender, routes_.rank()) * routes_.samples(split, sender) + 2 * own_fetched_;
}

int Asked::first_refused(const Message<std::int32_t>& counts) const {
  const std::int32_t* count = counts.in.data();
  for (int sender = 0; sender < routes_.ranks(); count += counts.from[sender++])
    if (*count != 0) return sender;
  return -1;
}

void Asked::count(Messages& messages) const {
  auto& [counts, ids, weights, rows, gradients] = messages;
  const std::int32_t* count = counts.in.data();
  for (int sender = 0; sender < routes_.ranks(); ++sender) {
    const std::int32_t* const end = count + counts.from[sender];
    const std::int32_t* const fetched = end - 2 * own_fetched_;
    weights.from[sender] = std::accumulate(count + 1, fetched, Index{0});
    ids.from[sender] = std::accumulate(fetched, end, weights.from[sender]);
    count = end;
  }
}

void Asked::read(const BatchSplit& split, const Front& front, Offsets others, Messages& messages) {
  const int me = routes_.rank();
  const int ranks = split.ranks(), node = Index(routes_.node().size());
  for (std::size_t i = 0; i < shards_.size(); ++i) shards_[i].clear(routes_.own()[i].replicated ? 1 : ranks);
  for (embedding::AskedShard& relay : relays_) relay.clear(ranks / node);
  fetched_.assign(shards_.size(), 0);
  Index bags = 0;
  for (int sender = 0; sender < routes_.ranks(); ++sender)
    bags += routes_.with_ids(sender, me) * (routes_.samples(split, sender) + ranks / routes_.ranks());
  offsets_.resize(bags);

  Reading at{split,
             front,
             messages.rows,
             messages.gradients,
             messages.counts.in.data(),
             messages.ids.in.data(),
             messages.weights.in.data(),
             offsets_.data()};
  at.own = {front.end, front.end};
  at.others = others;
  for (int sender = 0; sender < routes_.ranks(); ++sender) {
    at.sender = sender;
    ++at.count;  // no error
    const auto read_own = [&](bool replicated, int ranks_a_run) {
      for (std::size_t i = 0; i < shards_.size(); ++i)
        if (const Routes::OwnShard& own = routes_.own()[i];
            !own.fetched && !own.relayed && own.replicated == replicated)
          read_bags(own, shards_[i], nullptr, ranks_a_run, at);
    };
    read_own(false, 1);
    for (std::size_t i = 0; i < relays_.size() && routes_.is_partner(sender); ++i)
      read_bags(routes_.relays().shards[i], relays_[i], i > 0 ? &relays_[i - 1] : nullptr, node, at);
    if (sender == me) read_own(true, ranks);
    for (std::size_t i = 0; i < shards_.size(); ++i)
      if (routes_.own()[i].fetched) read_rows(i, at);
  }
}

void Asked::take_relayed(Asked& inside) {
  auto from = inside.shards_.begin();
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (routes_.own()[i].relayed) std::swap(shards_[i], *from++);
}

void Asked::read_bags(const Routes::OwnShard& own, embedding::AskedShard& shard, const embedding::AskedShard* before,
                      int ranks, Reading& at) {
  const BatchSplit& split = at.split;
  const Front& front = at.front;
  const int sender = at.sender;
  Offsets& vectors = at.vectors(routes_.rank());
  const embedding::EmbeddingBagConfig& table = routes_.tables()[own.table];
  for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
    const Route& route = routes_.all()[own.first_route + f];
    const Offsets begin = vectors;
    const bool sums_in_place = sender == routes_.rank() && route.sums_in_place;
    const bool gradients_in_place = sender == routes_.rank() && route.gradients_in_place;
    const bool unpooled = route.sequence >= 0;
    const Index stride = unpooled ? table.embedding_dim : routes_.vectors().pooled_width;
    Index in_place = (unpooled ? front.sequences[route.sequence].at : front.begin) + route.column;
    for (int rank = sender; rank < split.ranks(); rank += routes_.ranks()) {
      const std::size_t run = rank / ranks;
      embedding::Bags bags;
      if (own.same_ids) {
        bags = before->bags[run][f];
      } else {
        const Range samples = split.samples(rank);
        bags = {samples.begin, samples.size(), at.offsets, at.ids, nullptr, table.weighted ? at.weights : nullptr};
        at.offsets[0] = 0;
        for (Index s = 0; s < bags.count; ++s) at.offsets[s + 1] = at.offsets[s] + *at.count++;
        at.ids += bags.total();
        at.weights += bags.total();
        at.offsets += bags.count + 1;
      }
      bags.unpooled = unpooled;
      bags.gradients_at = gradients_in_place ? in_place : vectors.gradients;
      bags.sums_stride = sums_in_place ? stride : 0;
      bags.gradients_stride = gradients_in_place ? stride : 0;
      Index with_ids = 0;
      for (Index s = 0; s < bags.count; ++s) with_ids += bags.length(s) > 0;
      shard.bags[run].push_back(bags);
      shard.nodes[run].push_back(embedding::subtree_nodes(table.block_of(), route.blocks, bags));
      shard.sums_at[run].push_back(sums_in_place ? in_place : vectors.sums);
      if (!sums_in_place) vectors.sums += shard.nodes[run].back().offsets[bags.count] * route.dim;
      if (!gradients_in_place) vectors.gradients += (unpooled ? bags.total() : with_ids) * route.dim;
      in_place += (unpooled ? bags.total() : bags.count) * stride;
    }
    if (sender == routes_.rank()) continue;
    at.rows.goes(sender, vectors.sums - begin.sums, routes_.finished(route));
    at.gradients.comes(sender, vectors.gradients - begin.gradients, true);
  }
}

void Asked::read_rows(std::size_t i, Reading& at) {
  const int sender = at.sender, lanes = at.split.lane_count();
  Offsets& vectors = at.vectors(routes_.rank());
  const Routes::OwnShard& own = routes_.own()[i];
  const Index rows = *at.count++, sums = *at.count++, columns = own.shard.columns.size();
  embedding::AskedShard& shard = shards_[i];
  embedding::Nodes nodes;
  nodes.offsets.resize(rows + 1);
  std::iota(nodes.offsets.begin(), nodes.offsets.end(), Index{0});
  shard.nodes[sender].push_back(std::move(nodes));
  embedding::Bags bags;
  bags.count = rows;
  bags.offsets = shard.nodes[sender].front().offsets.data();
  bags.ids = at.ids;
  shard.bags[sender].push_back(bags);
  shard.sums_at[sender].push_back(vectors.sums);
  for (Index s = 0; s < sums; ++s) {
    const Index position = at.ids[rows + s] / lanes, leaf = at.ids[rows + s] % lanes;
    shard.gradients.push_back({fetched_[i] + position, vectors.gradients + s * columns, std::int32_t(leaf), 1.0f});
  }
  fetched_[i] += rows;
  at.ids += rows + sums;
  vectors.sums += rows * columns;
  vectors.gradients += sums * columns;
  if (sender == routes_.rank()) return;
  at.rows.goes(sender, rows * columns, false);
  at.gradients.comes(sender, sums * columns, false);
}

}  // namespace tesserec::sharding
