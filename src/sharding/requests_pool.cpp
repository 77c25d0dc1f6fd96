// SPDX-License-Identifier: Apache-2.0
// Sums of bags to pooled vectors, and the gradients of these back to bags.
#include <algorithm>

#include "requests.hpp"
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec::sharding {
namespace {

constexpr Index samples_per_task = 128;

/// Sums of the bags of whole rows, at most one a sample.
struct BagSums {
  const Index* offsets;  // [samples + 1] of ids
  const Index* numbers;  // [samples] of each sample's sum
  const float* sums;
};

/// out[s * stride + c]: the sum of sample s, by the bag's length with `mean`; without ids 0.
TESSEREC_KERNEL void scatter_sums(Range samples, Index dim, const BagSums& bags, bool mean, float* out, Index stride) {
  for (Index s = samples.begin; s < samples.end; ++s) {
    const Index length = bags.offsets[s + 1] - bags.offsets[s];
    const float* sum = bags.sums + bags.numbers[s] * dim;
    float* to = out + s * stride;
    if (length == 0)
      for (Index c = 0; c < dim; ++c) to[c] = 0.0f;
    else if (mean)
      for (Index c = 0; c < dim; ++c) to[c] = sum[c] / float(length);
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

/// out[s * stride + c]: of two owners with a node each at most, which meet wherever they stand. Returns the first
/// sample of another kind, or the end.
TESSEREC_KERNEL Index add_pairs(Range samples, Index dim, const NodeSums& first, const NodeSums& second, float* out,
                                Index stride) {
  for (Index s = samples.begin; s < samples.end; ++s) {
    const Index one = first.offsets[s + 1] - first.offsets[s], two = second.offsets[s + 1] - second.offsets[s];
    const float *a = first.sums + first.offsets[s] * dim, *b = second.sums + second.offsets[s] * dim;
    float* to = out + s * stride;
    if (one == 1 && two == 1)
      for (Index c = 0; c < dim; ++c) to[c] = a[c] + b[c];
    else if (one + two == 1)
      for (Index c = 0; c < dim; ++c) to[c] = one == 1 ? a[c] : b[c];
    else if (one + two == 0)
      for (Index c = 0; c < dim; ++c) to[c] = 0.0f;
    else
      return s;
  }
  return samples.end;
}

/// The gradients of the bags that have ids, one after the other; divided by `lengths`, when given.
TESSEREC_KERNEL void gather_gradients(Index samples, Index dim, const Index* offsets, const Index* lengths,
                                      const float* gradients, Index stride, float* out) {
  for (Index s = 0; s < samples; ++s) {
    if (offsets[s] == offsets[s + 1]) continue;
    const float* gradient = gradients + s * stride;
    if (lengths != nullptr)
      for (Index c = 0; c < dim; ++c) out[c] = gradient[c] / float(lengths[s]);
    else
      for (Index c = 0; c < dim; ++c) out[c] = gradient[c];
    out += dim;
  }
}

}  // namespace

const float* Requests::sums_of(std::size_t r, const VectorMessage& rows) const {
  const Route& route = routes_.all()[r];
  const PlacedVector<float>& sent = route.owner == routes_.rank() ? rows.out : rows.in;
  const PlacedVector<float>& from = route.fetched ? fetched_sums_ : sent;
  return from.data() + requests_[r].at.sums;
}

float* Requests::gradients_of(std::size_t r, const VectorMessage& gradients) const {
  const Route& route = routes_.all()[r];
  const PlacedVector<float>& sent = route.owner == routes_.rank() ? gradients.in : gradients.out;
  const PlacedVector<float>& to = route.fetched ? fetched_gradients_ : sent;
  return to.data() + requests_[r].at.gradients;
}

std::vector<Index> Requests::fetched_gradients_at(std::size_t i) const {
  const Routes::Fetch& fetch = routes_.fetches()[i];
  std::vector<Index> at;
  for (std::size_t f = 0; f < fetch.keys.size(); ++f) at.push_back(requests_[fetch.first_route + f].at.gradients);
  return at;
}

Index Requests::bag_length(const Routes::Segment& segment, Index sample) const {
  Index length = 0;
  for (const std::size_t r : segment.routes) length += requests_[r].length(sample);
  return length;
}

void Requests::pool(const Exec& exec, const VectorMessage& rows) {
  pooled_rounded_ = bool(rows.rounding());
  if (place_ == Place::device)
    pool_on_device(exec, rows);
  else
    pool_on_host(exec, rows);
  if (!pooled_rounded_) return;
  rows.rounding().round(exec, place_, rows.out.data() + front_.begin, front_.end - front_.begin);
  divide(exec, rows);
}

/// Sums that were rounded, by the lengths of bags.
void Requests::divide(const Exec& exec, const VectorMessage& rows) {
  if (place_ == Place::device) return divide_on_device(exec, rows);
  for (const Routes::Segment& segment : routes_.segments())
    for (Index s = 0; segment.mean && s < samples_; ++s) {
      float* const sum = rows.out.data() + front_.begin + s * routes_.pooled_width() + segment.column;
      if (const Index length = bag_length(segment, s); length > 1)
        for (Index c = 0; c < segment.dim; ++c) sum[c] /= float(length);
    }
}

void Requests::pool_on_host(const Exec& exec, const VectorMessage& rows) {
  pool_fetched(exec, rows);
  parallel_for(exec, "tesserec::sharding::pool", (samples_ + samples_per_task - 1) / samples_per_task, [&](Index task) {
    const Range samples{task * samples_per_task, std::min(samples_, (task + 1) * samples_per_task)};
    for (const Routes::Segment& segment : routes_.segments())
      if (!routes_.all()[segment.routes.front()].sums_in_place) pool_samples(segment, samples, rows);
  });
}

void Requests::pool_fetched(const Exec& exec, const VectorMessage& rows) {
  fetched_sums_.reserve(exec, "tesserec::sharding::fetched_sums", fetched_end_.sums);
  parallel_for(exec, "tesserec::sharding::pool_fetched", std::ssize(fetches_), [&](Index i) {
    const Routes::Fetch& fetch = routes_.fetches()[i];
    const PlacedVector<float>& from = fetch.shard.rank == routes_.rank() ? rows.out : rows.in;
    for (std::size_t f = 0; f < fetch.keys.size(); ++f)
      fetches_[i].rows.pool(f, from.data() + fetches_[i].at.sums,
                            fetched_sums_.data() + requests_[fetch.first_route + f].at.sums);
  });
}

void Requests::place_vectors(const Routes::Segment& segment, Range samples, const VectorMessage& rows) const {
  const Index stride = routes_.sequences()[segment.sequence].dim;
  float* const out = rows.out.data() + front_.sequences[segment.sequence].at + segment.column;
  for (const std::size_t r : segment.routes) {
    const Request& request = requests_[r];
    const float* from = sums_of(r, rows);
    for (Index i = request.offsets[samples.begin]; i < request.offsets[samples.end]; ++i)
      std::copy_n(from + i * segment.dim, segment.dim, out + request.places[i] * stride);
  }
}

void Requests::gather_vectors(const Routes::Segment& segment, const VectorMessage& gradients) const {
  const Index stride = routes_.sequences()[segment.sequence].dim;
  const float* const from = gradients.in.data() + front_.sequences[segment.sequence].at + segment.column;
  for (const std::size_t r : segment.routes) {
    if (routes_.all()[r].gradients_in_place) continue;
    float* to = gradients_of(r, gradients);
    for (const Index place : requests_[r].places) to = std::copy_n(from + place * stride, segment.dim, to);
  }
}

void Requests::pool_samples(const Routes::Segment& segment, Range samples, const VectorMessage& rows) const {
  if (segment.sequence >= 0) return place_vectors(segment, samples, rows);
  const bool mean = segment.mean && !pooled_rounded_;
  const Index dim = segment.dim, width = routes_.pooled_width();
  float* const out = rows.out.data() + front_.begin + segment.column;
  if (segment.routes.size() == 1) {
    const Request& only = requests_[segment.routes[0]];
    return scatter_sums(samples, dim,
                        {only.offsets.data(), only.nodes.offsets.data(), sums_of(segment.routes[0], rows)}, mean, out,
                        width);
  }
  std::vector<NodeSums> sources;
  for (const std::size_t r : segment.routes)
    sources.push_back({requests_[r].nodes.offsets.data(), requests_[r].nodes.leaves.data(), sums_of(r, rows)});
  std::vector<float> slots(TreeOrder::max_slots * dim);
  for (Index s = samples.begin; s < samples.end; ++s) {
    if (sources.size() == 2 && !mean) {
      s = add_pairs({s, samples.end}, dim, sources[0], sources[1], out, width);
      if (s == samples.end) break;
    }
    Index nodes = 0;
    const float* sum = nullptr;
    for (const NodeSums& source : sources)
      if (const Index more = source.offsets[s + 1] - source.offsets[s]; more > 0) {
        sum = source.sums + source.offsets[s] * dim;
        nodes += more;
      }
    if (nodes > 1) sum = add_nodes(sources, s, dim, slots.data());
    float* to = out + s * width;
    if (nodes == 0)
      for (Index c = 0; c < dim; ++c) to[c] = 0.0f;
    else if (mean)
      for (Index c = 0, length = bag_length(segment, s); c < dim; ++c) to[c] = sum[c] / float(length);
    else
      for (Index c = 0; c < dim; ++c) to[c] = sum[c];
  }
}

void Requests::share_gradients(const Exec& exec, const VectorMessage& gradients) {
  fetched_gradients_.reserve(exec, "tesserec::sharding::fetched_gradients", fetched_end_.gradients);
  const bool on_device = place_ == Place::device;
  on_device ? share_on_device(exec, gradients) : share_on_host(exec, gradients);
  if (const Rounding& rounding = gradients.rounding()) {  // what others get is rounded when it goes
    rounding.round(exec, place_, gradients.in.data() + front_.begin, own_end_.gradients - front_.begin);
    rounding.round(exec, place_, fetched_gradients_.data(), fetched_end_.gradients);
  }
  on_device ? sum_fetched_on_device(exec, gradients) : sum_fetched_on_host(exec, gradients);
}

void Requests::share_on_host(const Exec& exec, const VectorMessage& gradients) {
  const float* const pooled = gradients.in.data() + front_.begin;
  const auto segments = std::ssize(routes_.segments());
  parallel_for(exec, "tesserec::sharding::share_gradients", segments, [&](Index i) {
    const Routes::Segment& segment = routes_.segments()[i];
    if (segment.sequence >= 0) return gather_vectors(segment, gradients);
    std::vector<Index> lengths;
    for (Index s = 0; segment.mean && s < samples_; ++s) lengths.push_back(bag_length(segment, s));
    for (const std::size_t r : segment.routes)
      if (!routes_.all()[r].gradients_in_place)
        gather_gradients(samples_, segment.dim, requests_[r].offsets.data(), segment.mean ? lengths.data() : nullptr,
                         pooled + segment.column, routes_.pooled_width(), gradients_of(r, gradients));
  });
}

void Requests::sum_fetched_on_host(const Exec& exec, const VectorMessage& gradients) {
  parallel_for(exec, "tesserec::sharding::sum_fetched", std::ssize(fetches_), [&](Index i) {
    const Routes::Fetch& fetch = routes_.fetches()[i];
    const PlacedVector<float>& to = fetch.shard.rank == routes_.rank() ? gradients.in : gradients.out;
    fetches_[i].rows.sum_gradients(fetched_gradients_.data(), fetched_gradients_at(i),
                                   to.data() + fetches_[i].at.gradients);
  });
}

}  // namespace tesserec::sharding
