// SPDX-License-Identifier: Apache-2.0
#include "asked.hpp"

#include <numeric>

namespace tesserec::sharding {

void Asked::expect(const BatchSplit& split, Message<std::int32_t>& counts) const {
  for (int sender = 0; sender < routes_.ranks(); ++sender)
    counts.from[sender] =
        1 + routes_.sums(sender, routes_.rank()).size() * split.samples(sender).size() + 2 * routes_.own_fetched();
}

int Asked::first_refused(const Message<std::int32_t>& counts) const {
  const std::int32_t* count = counts.in.data();
  for (int sender = 0; sender < routes_.ranks(); count += counts.from[sender++])
    if (*count != 0) return sender;
  return -1;
}

void Asked::count(const Message<std::int32_t>& counts, Message<Index>& ids, Message<float>& weights) const {
  const std::int32_t* count = counts.in.data();
  for (int sender = 0; sender < routes_.ranks(); ++sender) {
    const std::int32_t* const end = count + counts.from[sender];
    const std::int32_t* const fetched = end - 2 * routes_.own_fetched();
    weights.from[sender] = std::accumulate(count + 1, fetched, Index{0});
    ids.from[sender] = std::accumulate(fetched, end, weights.from[sender]);
    count = end;
  }
}

void Asked::read(const BatchSplit& split, const Message<std::int32_t>& counts, const Message<Index>& ids,
                 const Message<float>& weights, const Front& front, Offsets others, VectorMessage& rows,
                 VectorMessage& gradients) {
  const int me = routes_.rank();
  for (embedding::AskedShard& shard : shards_)
    shard.bags.clear(), shard.nodes.clear(), shard.sums_at.clear(), shard.gradients.clear();
  Index bags = 0;
  for (int sender = 0; sender < routes_.ranks(); ++sender)
    bags += routes_.sums(sender, me).size() * (split.samples(sender).size() + 1);
  offsets_.resize(bags);

  Cursor at{counts.in.data(), ids.in.data(), weights.in.data(), offsets_.data()};
  Offsets own{front.end, front.end};
  for (int sender = 0; sender < routes_.ranks(); ++sender) {
    Offsets& vectors = sender == me ? own : others;
    const Offsets before = vectors;
    ++at.count;  // no error
    for (std::size_t i = 0; i < shards_.size(); ++i)
      if (!routes_.own()[i].fetched && (sender == me || !routes_.own()[i].replicated))
        read_bags(i, sender, split.samples(sender), front, at, vectors);
    for (std::size_t i = 0; i < shards_.size(); ++i)
      if (routes_.own()[i].fetched) read_rows(i, split.lane_count(), at, vectors);
    rows.to[sender] = sender == me ? 0 : vectors.sums - before.sums;
    gradients.from[sender] = sender == me ? 0 : vectors.gradients - before.gradients;
  }
}

void Asked::read_bags(std::size_t i, int sender, Range samples, const Front& front, Cursor& at, Offsets& vectors) {
  const Routes::OwnShard& own = routes_.own()[i];
  const embedding::EmbeddingBagConfig& table = routes_.tables()[own.table];
  const embedding::RowBlocks blocks(table.num_embeddings);
  embedding::AskedShard& shard = shards_[i];
  shard.bags.emplace_back(), shard.nodes.emplace_back(), shard.sums_at.emplace_back();
  for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
    const Route& route = routes_.all()[own.first_route + f];
    const bool sums_in_place = sender == routes_.rank() && route.sums_in_place;
    const bool gradients_in_place = sender == routes_.rank() && route.gradients_in_place;
    const bool unpooled = route.sequence >= 0;
    const Index stride = unpooled ? table.embedding_dim : routes_.pooled_width();
    const Index in_place = (unpooled ? front.sequences[route.sequence].at : 0) + route.column;
    const embedding::Bags bags{samples.begin,
                               samples.size(),
                               at.offsets,
                               at.ids,
                               nullptr,
                               table.weighted ? at.weights : nullptr,
                               gradients_in_place ? in_place : vectors.gradients,
                               unpooled,
                               sums_in_place ? stride : 0,
                               gradients_in_place ? stride : 0};
    at.offsets[0] = 0;
    Index with_ids = 0;
    for (Index s = 0; s < bags.count; ++s) {
      with_ids += *at.count > 0;
      at.offsets[s + 1] = at.offsets[s] + *at.count++;
    }
    shard.bags.back().push_back(bags);
    shard.nodes.back().push_back(embedding::subtree_nodes(blocks, route.blocks, bags));
    shard.sums_at.back().push_back(sums_in_place ? in_place : vectors.sums);
    if (!sums_in_place) vectors.sums += shard.nodes.back().back().offsets[bags.count] * route.dim;
    if (!gradients_in_place) vectors.gradients += (unpooled ? bags.total() : with_ids) * route.dim;
    at.ids += bags.total(), at.weights += bags.total(), at.offsets += bags.count + 1;
  }
}

void Asked::read_rows(std::size_t i, int lanes, Cursor& at, Offsets& vectors) {
  const Routes::OwnShard& own = routes_.own()[i];
  const Index first_row = embedding::RowBlocks(routes_.tables()[own.table].num_embeddings).rows(own.shard.blocks).begin;
  const Index rows = *at.count++, sums = *at.count++, columns = own.shard.columns.size();
  embedding::AskedShard& shard = shards_[i];
  embedding::Nodes nodes;
  nodes.offsets.resize(rows + 1);
  std::iota(nodes.offsets.begin(), nodes.offsets.end(), Index{0});
  shard.nodes.push_back({std::move(nodes)});
  embedding::Bags bags;
  bags.count = rows;
  bags.offsets = shard.nodes.back().front().offsets.data();
  bags.ids = at.ids;
  shard.bags.push_back({bags});
  shard.sums_at.push_back({vectors.sums});
  for (Index s = 0; s < sums; ++s) {
    const Index position = at.ids[rows + s] / lanes, leaf = at.ids[rows + s] % lanes;
    shard.gradients.push_back(
        {at.ids[position] - first_row, vectors.gradients + s * columns, std::int32_t(leaf), 1.0f});
  }
  at.ids += rows + sums;
  vectors.sums += rows * columns;
  vectors.gradients += sums * columns;
}

}  // namespace tesserec::sharding
