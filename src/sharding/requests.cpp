// SPDX-License-Identifier: Apache-2.0
// Ids to their owners.
#include "requests.hpp"

namespace tesserec::sharding {

Requests::Requests(const Routes& routes) : routes_(routes), requests_(routes.all().size()) {
  for (const Routes::Fetch& fetch : routes.fetches())
    fetches_.push_back({RowFetch(routes.tables()[fetch.table], fetch.shard, fetch.keys), {}});
}

Index Requests::Request::vectors(bool unpooled) const {
  if (unpooled) return offsets.back();
  Index count = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) count += offsets[s + 1] > offsets[s];
  return count;
}

Index Requests::bag_length(const VectorLayout::Segment& segment, Index sample) const {
  Index length = 0;
  for (const std::size_t r : segment.routes) length += requests_[r].length(sample);
  return length;
}

void Requests::collect(const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split, Messages& messages,
                       Index front) {
  auto& [counts, ids, weights, rows, gradients] = messages;
  const int me = routes_.rank();
  samples_ = sparse.stride;
  first_sample_ = split.samples(me).begin;
  fetched_end_ = {};
  front_.begin = front;
  lay_out(sparse);
  Offsets own{front_.end, front_.end}, others;
  std::size_t next_fetch = 0;
  for (int owner = 0; owner < routes_.ranks(); ++owner) {
    Offsets& at = owner == me ? own : others;
    const std::size_t counts_before = counts.out.size(), ids_before = ids.out.size(),
                      weights_before = weights.out.size();
    counts.out.push_back(0);  // no error
    const Range asked = routes_.sums(me, owner);
    for (Index route = asked.begin; route < asked.end; ++route) {
      const Offsets before = at;
      cut_out(route, sparse, messages, at);
      if (owner == me) continue;
      rows.comes(owner, at.sums - before.sums, routes_.finished(routes_.all()[route]));
      gradients.goes(owner, at.gradients - before.gradients, true);
    }
    for (; next_fetch < fetches_.size() && routes_.fetches()[next_fetch].shard.rank == owner; ++next_fetch) {
      const Offsets before = at;
      fetch(next_fetch, sparse, split, messages, at);
      if (owner == me) continue;
      rows.comes(owner, at.sums - before.sums, false);
      gradients.goes(owner, at.gradients - before.gradients, false);
    }
    counts.to[owner] = counts.out.size() - counts_before;
    ids.to[owner] = ids.out.size() - ids_before;
    weights.to[owner] = weights.out.size() - weights_before;
  }
  own_end_ = own;
}

void Requests::lay_out(const jagged::KeyedJaggedTensor& sparse) {
  front_.sequences.resize(routes_.vectors().sequences.size());
  front_.end = front_.begin + samples_ * routes_.vectors().pooled_width;
  for (std::size_t q = 0; q < front_.sequences.size(); ++q) {
    const VectorLayout::Sequence& sequence = routes_.vectors().sequences[q];
    const Index* from = sparse.offsets.data() + sparse.first_bag(sequence.key);
    Front::Sequence& to = front_.sequences[q];
    to.offsets.assign(from, from + samples_ + 1);
    for (Index& offset : to.offsets) offset -= *from;
    to.at = front_.end;
    front_.end += to.offsets.back() * sequence.dim;
  }
}

/// Of the ids that the route's shard has.
void Requests::find_places(std::size_t r, const jagged::KeyedJaggedTensor& sparse) {
  const Route& route = routes_.all()[r];
  std::vector<Index>& places = requests_[r].places;
  places.clear();
  if (route.sequence < 0 || (route.sums_in_place && route.gradients_in_place)) return;
  const embedding::EmbeddingBagConfig& table = routes_.tables()[route.table];
  const embedding::BlockOf block_of = table.block_of();
  const Index begin = sparse.begin(route.key, 0), ids = front_.sequences[route.sequence].offsets.back();
  for (Index i = 0; i < ids; ++i)
    if (route.blocks.contains(block_of(table.row(sparse.values(begin + i))))) places.push_back(i);
}

void Requests::refuse(const BatchSplit& split, Message<std::int32_t>& counts) const {
  const int me = routes_.rank();
  counts.out.clear();
  for (int owner = 0; owner < routes_.ranks(); ++owner) {
    const std::size_t before = counts.out.size();
    counts.out.push_back(1);
    Index zeros = routes_.with_ids(me, owner) * routes_.samples(split, me);
    for (const Routes::Fetch& fetch : routes_.fetches()) zeros += fetch.shard.rank == owner ? 2 : 0;
    counts.out.resize(counts.out.size() + zeros, 0);
    counts.to[owner] = counts.out.size() - before;
  }
}

void Requests::cut_out(std::size_t r, const jagged::KeyedJaggedTensor& sparse, Messages& messages, Offsets& at) {
  std::vector<Index>& ids = messages.ids.out;
  const Route& route = routes_.all()[r];
  Request& request = requests_[r];
  const embedding::EmbeddingBagConfig& table = routes_.tables()[route.table];
  embedding::Bags bags;
  bags.count = samples_;
  bags.unpooled = route.sequence >= 0;
  if (route.same_ids) {
    request = requests_[r - table.feature_names.size()];  // the same feature's, the shard before
  } else {
    const std::size_t ids_at = ids.size();
    select_ids(table, sparse, route.key, route.blocks, first_sample_,
               {request.offsets, ids, routes_.weighted() ? &messages.weights.out : nullptr});
    for (Index s = 0; s < samples_; ++s) messages.counts.out.push_back(request.length(s));
    bags.offsets = request.offsets.data();
    bags.ids = ids.data() + ids_at;
    request.nodes = embedding::subtree_nodes(table.block_of(), route.blocks, bags);
  }
  find_places(r, sparse);
  request.at = at;
  if (!route.sums_in_place) at.sums += request.nodes.offsets[samples_] * route.dim;
  if (!route.gradients_in_place) at.gradients += request.vectors(bags.unpooled) * route.dim;
}

void Requests::fetch(std::size_t i, const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split,
                     Messages& messages, Offsets& at) {
  std::vector<Index>& ids = messages.ids.out;
  RowFetch& rows = fetches_[i].rows;
  rows.collect(sparse, split, routes_.rank());
  fetches_[i].at = at;
  messages.counts.out.push_back(rows.rows().size());
  messages.counts.out.push_back(rows.sums().size());
  ids.insert(ids.end(), rows.rows().begin(), rows.rows().end());
  ids.insert(ids.end(), rows.sums().begin(), rows.sums().end());
  at.sums += std::ssize(rows.rows()) * rows.dim();
  at.gradients += std::ssize(rows.sums()) * rows.dim();
  const Routes::Fetch& fetch = routes_.fetches()[i];
  for (std::size_t f = 0; f < fetch.keys.size(); ++f) {
    Request& request = requests_[fetch.first_route + f];
    request.offsets.assign(rows.bags(f).offsets, rows.bags(f).offsets + samples_ + 1);
    request.nodes = rows.nodes(f);
    find_places(fetch.first_route + f, sparse);
    request.at = fetched_end_;
    fetched_end_.sums += request.nodes.offsets[samples_] * rows.dim();
    fetched_end_.gradients += request.vectors(rows.bags(f).unpooled) * rows.dim();
  }
}

}  // namespace tesserec::sharding
