// SPDX-License-Identifier: Apache-2.0
// Requests of ids to their owners.
#include "requests.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <numeric>

namespace tesserec::sharding {
namespace {

/// Lists the samples that have ids for any of several features, ascending.
std::vector<std::int32_t> listed(std::span<const Requests::Request> features) {
  std::vector<std::int32_t> samples, merged;
  for (const Requests::Request& request : features) {
    merged.clear();
    std::set_union(samples.begin(), samples.end(), request.bags.samples.begin(), request.bags.samples.end(),
                   std::back_inserter(merged));
    std::swap(samples, merged);
  }
  return samples;
}

}  // namespace

Requests::Requests(const Routes& routes)
    : routes_(routes),
      pieces_(routes.vectors().segments.size()),
      mean_offsets_(routes.vectors().segments.size()),
      requests_(routes.all().size()) {
  for (const VectorLayout::Segment& segment : routes.vectors().segments) {
    const Route& route = routes.all()[segment.routes.front()];
    buckets_.emplace_back(routes.tables()[route.table], route.key, segment.owner_of, int(segment.routes.size()),
                          segment.sequence >= 0);
  }
  for (const Routes::Fetch& fetch : routes.fetches())
    fetches_.push_back({RowFetch(routes.tables()[fetch.table], fetch.shard), {}});
}

void Requests::collect(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split,
                       Messages& messages, Index front) {
  auto& counts = messages.counts;
  auto& ids = messages.ids;
  auto& weights = messages.weights;
  const int own_rank = routes_.rank();
  samples_ = sparse.stride;
  first_sample_ = split.samples(own_rank).begin;
  fetched_end_ = {};
  front_.begin = front;
  lay_out(sparse);
  bucketize(exec, sparse);
  parallel_for(exec, "tesserec::sharding::order_rows", std::ssize(fetches_), [&](Index i) {
    std::vector<OwnerBags> bags;
    for (std::size_t f = 0; f < routes_.fetches()[i].keys.size(); ++f)
      bags.push_back(requests_[routes_.fetches()[i].first_route + f].bags);
    fetches_[i].rows.collect(bags, split, own_rank);
  });
  Offsets own{front_.end, front_.end}, others;
  std::size_t next_fetch = 0;
  for (int owner = 0; owner < routes_.ranks(); ++owner) {
    Offsets& at = owner == own_rank ? own : others;
    const std::size_t counts_before = counts.out.size(), ids_before = ids.out.size(),
                      weights_before = weights.out.size();
    counts.out.push_back(0);  // error flag
    const Range lookups = routes_.sums(own_rank, owner);
    for (Index r = lookups.begin; r < lookups.end; ++r) {
      const Route& route = routes_.all()[r];
      Request& request = requests_[r];
      const Index sums = request.nodes.begin(request.bags.count()) * route.dim,
                  of_gradients = request.vectors(route.sequence >= 0) * route.dim;
      request.at = at;
      if (!route.sums_in_place) at.sums += sums;
      if (!route.gradients_in_place) at.gradients += of_gradients;
      if (owner == own_rank) continue;
      messages.rows.append_receive(owner, sums, routes_.finished(route));
      messages.gradients.append_send(owner, of_gradients, true);
    }
    for (Index r = lookups.begin; r < lookups.end; r += routes_.all()[r].features) write_bags(r, messages);
    for (; next_fetch < fetches_.size() && routes_.fetches()[next_fetch].shard.rank == owner; ++next_fetch) {
      const Offsets before = at;
      write_fetch(next_fetch, messages, at);
      if (owner == own_rank) continue;
      messages.rows.append_receive(owner, at.sums - before.sums, false);
      messages.gradients.append_send(owner, at.gradients - before.gradients, false);
    }
    counts.to[owner] = counts.out.size() - counts_before;
    ids.to[owner] = ids.out.size() - ids_before;
    weights.to[owner] = weights.out.size() - weights_before;
  }
  own_end_ = own;
}

void Requests::lay_out(const jagged::KeyedJaggedTensor& sparse) {
  const VectorLayout& vectors = routes_.vectors();
  const auto copy_offsets = [&](Index key, std::vector<Index>& to) {
    const Index* const from = sparse.offsets.data() + sparse.first_bag(key);
    to.assign(from, from + samples_ + 1);
    for (Index& offset : to) offset -= *from;
  };
  front_.sequences.resize(vectors.sequences.size());
  front_.end = front_.begin + samples_ * vectors.pooled_width;
  for (std::size_t q = 0; q < front_.sequences.size(); ++q) {
    Front::Sequence& to = front_.sequences[q];
    copy_offsets(vectors.sequences[q].key, to.offsets);
    to.at = front_.end;
    front_.end += to.offsets.back() * vectors.sequences[q].dim;
  }
  for (std::size_t i = 0; i < vectors.segments.size(); ++i)
    if (const VectorLayout::Segment& segment = vectors.segments[i]; segment.mean)
      copy_offsets(routes_.all()[segment.routes.front()].key, mean_offsets_[i]);
}

/// Bucketizes all features. Throws the first feature's error, for any number of threads.
void Requests::bucketize(const Exec& exec, const jagged::KeyedJaggedTensor& sparse) {
  std::vector<std::exception_ptr> errors(buckets_.size());
  parallel_for(exec, "tesserec::sharding::bucketize", std::ssize(buckets_), [&](Index i) {
    try {
      bucketize_segment(i, sparse);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  for (std::size_t r = 0; r < requests_.size(); ++r) {
    const Route& route = routes_.all()[r];
    if (!route.same_ids) continue;
    const Request& before = requests_[r - route.features];  // request of the same feature in the preceding shard
    requests_[r].bags = before.bags;
    requests_[r].nodes = before.nodes;
  }
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    if (const VectorLayout::Segment& segment = routes_.vectors().segments[i];
        routes_.all()[segment.routes.front()].same_ids && segment.sequence < 0)
      find_pieces(i, sparse);
}

void Requests::bucketize_segment(std::size_t i, const jagged::KeyedJaggedTensor& sparse) {
  const VectorLayout::Segment& segment = routes_.vectors().segments[i];
  if (routes_.all()[segment.routes.front()].same_ids) return;
  const embedding::BlockOf block_of = routes_.tables()[routes_.all()[segment.routes.front()].table].block_of();
  buckets_[i].fill(sparse, first_sample_);
  for (std::size_t owner = 0; owner < segment.routes.size(); ++owner) {
    Request& request = requests_[segment.routes[owner]];
    request.bags = buckets_[i].of(int(owner));
    request.nodes = embedding::subtree_nodes(block_of, routes_.all()[segment.routes[owner]].blocks,
                                             request.bags.bags(segment.sequence >= 0));
  }
  if (segment.sequence < 0 && !routes_.all()[segment.routes.front()].sums_in_place) find_pieces(i, sparse);
}

/// Sorts the bags of all owners by sample. Bags of one sample stay in row order.
void Requests::find_pieces(std::size_t i, const jagged::KeyedJaggedTensor& sparse) {
  const std::vector<std::size_t>& routes = routes_.vectors().segments[i].routes;
  auto& [begins, ends, pieces] = pieces_[i];
  const Index* const offsets = sparse.offsets.data() + sparse.first_bag(routes_.all()[routes.front()].key);
  begins.resize(samples_);
  Index end = 0;
  for (Index s = 0; s < samples_; ++s) {
    begins[s] = end;
    end += std::min(offsets[s + 1] - offsets[s], std::ssize(routes));
  }
  ends = begins;
  pieces.resize(end);
  for (const std::size_t r : routes) {
    std::int32_t bag = 0;
    for (const std::int32_t sample : requests_[r].bags.samples) pieces[ends[sample]++] = {std::int32_t(r), bag++};
  }
}

void Requests::report_error(Message<std::int32_t>& counts) const {
  const int own_rank = routes_.rank();
  counts.out.clear();
  for (int owner = 0; owner < routes_.ranks(); ++owner) {
    const std::size_t before = counts.out.size();
    counts.out.push_back(1);
    Index zeros = routes_.id_counts(own_rank, owner);
    for (const Routes::Fetch& fetch : routes_.fetches()) zeros += fetch.shard.rank == owner ? 2 : 0;
    counts.out.resize(counts.out.size() + zeros, 0);
    counts.to[owner] = counts.out.size() - before;
  }
}

/// Writes the bags of all features of one shard (BagForm).
void Requests::write_bags(Index first, Messages& messages) const {
  const Route& route = routes_.all()[first];
  if (route.same_ids) return;
  std::vector<Index>& ids = messages.ids.out;
  const std::span<const Request> features = std::span(requests_).subspan(first, route.features);
  std::vector<std::int32_t> merged;
  if (features.size() > 1) merged = listed(features);
  const std::span<const std::int32_t> list = features.size() > 1 ? merged : features.front().bags.samples;
  const BagForm form{samples_, std::ssize(features), std::ssize(list), route.owner == routes_.rank()};
  messages.counts.out.push_back(std::int32_t(form.listed));
  const auto at = std::ssize(ids);
  ids.resize(at + form.words());
  Index* const words = ids.data() + at;
  if (!form.dense()) put_numbers(words, 0, list);
  Index next = form.dense() ? 0 : form.listed;  // index of the next number
  for (const Request& request : features) {
    const OwnerBags& bags = request.bags;
    const bool each = !form.dense() && features.size() == 1;  // the list is this feature's
    for (Index b = 0; each && b < bags.count(); ++b) put_number(words, next + b, bags.offsets[b + 1] - bags.offsets[b]);
    for (Index b = 0, place = 0; !each && b < bags.count(); ++b) {
      if (form.dense()) place = bags.samples[b];
      while (!form.dense() && list[place] != bags.samples[b]) ++place;
      put_number(words, next + place, bags.offsets[b + 1] - bags.offsets[b]);
    }
    next += form.bags();
  }
  for (const Request& request : features) {
    const OwnerBags& bags = request.bags;
    messages.counts.out.push_back(std::int32_t(bags.ids()));
    ids.insert(ids.end(), bags.rows, bags.rows + bags.ids());
    if (!routes_.weighted()) continue;
    std::vector<float>& weights = messages.weights.out;
    if (bags.weights != nullptr)
      weights.insert(weights.end(), bags.weights, bags.weights + bags.ids());
    else
      weights.insert(weights.end(), bags.ids(), 1.0f);
  }
}

void Requests::write_fetch(std::size_t i, Messages& messages, Offsets& at) {
  std::vector<Index>& ids = messages.ids.out;
  const RowFetch& rows = fetches_[i].rows;
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
    request.at = fetched_end_;
    fetched_end_.sums += request.nodes.begin(request.bags.count()) * rows.dim();
    fetched_end_.gradients += request.vectors(rows.bags(f).unpooled) * rows.dim();
  }
}

}  // namespace tesserec::sharding
