// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "answers.hpp"
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

/// The sums of each sample's bag from one owner, one a subtree of row blocks.
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

/// Answers by the host's threads.
class HostAnswers : public Answers {
 public:
  HostAnswers(const Routes& routes, const Requests& requests) : Answers(routes, requests, Place::host) {}

 private:
  void pool_fetched(const Exec& exec, const VectorMessage& rows) override;
  void pool_bags(const Exec& exec, const VectorMessage& rows) override;
  void divide(const Exec& exec, const VectorMessage& rows) override;
  void share(const Exec& exec, const VectorMessage& gradients) override;
  void sum_fetched(const Exec& exec, const VectorMessage& gradients) override;

  void pool_samples(const VectorLayout::Segment& segment, Range samples, const VectorMessage& rows) const;
  void place_vectors(const VectorLayout::Segment& segment, Range samples, const VectorMessage& rows) const;
  void gather_vectors(const VectorLayout::Segment& segment, const VectorMessage& gradients) const;
  const float* sums_of(std::size_t route, const VectorMessage& rows) const;
  float* gradients_of(std::size_t route, const VectorMessage& gradients) const;
};

}  // namespace

const float* HostAnswers::sums_of(std::size_t r, const VectorMessage& rows) const {
  const Route& route = routes_.all()[r];
  const PlacedVector<float>& sent = route.owner == routes_.rank() ? rows.out : rows.in;
  const PlacedVector<float>& from = route.fetched ? fetched_sums_ : sent;
  return from.data() + request_of(r).at.sums;
}

float* HostAnswers::gradients_of(std::size_t r, const VectorMessage& gradients) const {
  const Route& route = routes_.all()[r];
  const PlacedVector<float>& sent = route.owner == routes_.rank() ? gradients.in : gradients.out;
  const PlacedVector<float>& to = route.fetched ? fetched_gradients_ : sent;
  return to.data() + request_of(r).at.gradients;
}

/// Sums that were rounded, by the lengths of bags.
void HostAnswers::divide(const Exec&, const VectorMessage& rows) {
  for (const VectorLayout::Segment& segment : routes_.vectors().segments)
    for (Index s = 0; segment.mean && s < requests_.samples(); ++s) {
      float* const sum =
          rows.out.data() + requests_.front().begin + s * routes_.vectors().pooled_width + segment.column;
      if (const Index length = requests_.bag_length(segment, s); length > 1)
        for (Index c = 0; c < segment.dim; ++c) sum[c] /= float(length);
    }
}

void HostAnswers::pool_bags(const Exec& exec, const VectorMessage& rows) {
  parallel_for(
      exec, "tesserec::sharding::pool", (requests_.samples() + samples_per_task - 1) / samples_per_task,
      [&](Index task) {
        const Range samples{task * samples_per_task, std::min(requests_.samples(), (task + 1) * samples_per_task)};
        for (const VectorLayout::Segment& segment : routes_.vectors().segments)
          if (!routes_.all()[segment.routes.front()].sums_in_place) pool_samples(segment, samples, rows);
      });
}

void HostAnswers::pool_fetched(const Exec& exec, const VectorMessage& rows) {
  parallel_for(exec, "tesserec::sharding::pool_fetched", std::ssize(requests_.fetches()), [&](Index i) {
    const Routes::Fetch& fetch = routes_.fetches()[i];
    const PlacedVector<float>& from = fetch.shard.rank == routes_.rank() ? rows.out : rows.in;
    for (std::size_t f = 0; f < fetch.keys.size(); ++f)
      requests_.fetches()[i].rows.pool(f, from.data() + requests_.fetches()[i].at.sums,
                                       fetched_sums_.data() + request_of(fetch.first_route + f).at.sums);
  });
}

void HostAnswers::place_vectors(const VectorLayout::Segment& segment, Range samples, const VectorMessage& rows) const {
  const Index stride = routes_.vectors().sequences[segment.sequence].dim;
  float* const out = rows.out.data() + requests_.front().sequences[segment.sequence].at + segment.column;
  for (const std::size_t r : segment.routes) {
    const Requests::Request& request = request_of(r);
    const float* from = sums_of(r, rows);
    for (Index i = request.offsets[samples.begin]; i < request.offsets[samples.end]; ++i)
      std::copy_n(from + i * segment.dim, segment.dim, out + request.places[i] * stride);
  }
}

void HostAnswers::gather_vectors(const VectorLayout::Segment& segment, const VectorMessage& gradients) const {
  const Index stride = routes_.vectors().sequences[segment.sequence].dim;
  const float* const from = gradients.in.data() + requests_.front().sequences[segment.sequence].at + segment.column;
  for (const std::size_t r : segment.routes) {
    if (routes_.all()[r].gradients_in_place) continue;
    float* to = gradients_of(r, gradients);
    for (const Index place : request_of(r).places) to = std::copy_n(from + place * stride, segment.dim, to);
  }
}

void HostAnswers::pool_samples(const VectorLayout::Segment& segment, Range samples, const VectorMessage& rows) const {
  if (segment.sequence >= 0) return place_vectors(segment, samples, rows);
  const bool mean = divides(segment);
  const Index dim = segment.dim, width = routes_.vectors().pooled_width;
  float* const out = rows.out.data() + requests_.front().begin + segment.column;
  if (segment.routes.size() == 1) {
    const Requests::Request& only = request_of(segment.routes[0]);
    return scatter_sums(samples, dim,
                        {only.offsets.data(), only.nodes.offsets.data(), sums_of(segment.routes[0], rows)}, mean, out,
                        width);
  }
  std::vector<NodeSums> sources;
  for (const std::size_t r : segment.routes)
    sources.push_back({request_of(r).nodes.offsets.data(), request_of(r).nodes.leaves.data(), sums_of(r, rows)});
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
      for (Index c = 0, length = requests_.bag_length(segment, s); c < dim; ++c) to[c] = sum[c] / float(length);
    else
      for (Index c = 0; c < dim; ++c) to[c] = sum[c];
  }
}

void HostAnswers::share(const Exec& exec, const VectorMessage& gradients) {
  const float* const pooled = gradients.in.data() + requests_.front().begin;
  const auto segments = std::ssize(routes_.vectors().segments);
  parallel_for(exec, "tesserec::sharding::share_gradients", segments, [&](Index i) {
    const VectorLayout::Segment& segment = routes_.vectors().segments[i];
    if (segment.sequence >= 0) return gather_vectors(segment, gradients);
    std::vector<Index> lengths;
    for (Index s = 0; segment.mean && s < requests_.samples(); ++s) lengths.push_back(requests_.bag_length(segment, s));
    for (const std::size_t r : segment.routes)
      if (!routes_.all()[r].gradients_in_place)
        gather_gradients(requests_.samples(), segment.dim, request_of(r).offsets.data(),
                         segment.mean ? lengths.data() : nullptr, pooled + segment.column,
                         routes_.vectors().pooled_width, gradients_of(r, gradients));
  });
}

void HostAnswers::sum_fetched(const Exec& exec, const VectorMessage& gradients) {
  parallel_for(exec, "tesserec::sharding::sum_fetched", std::ssize(requests_.fetches()), [&](Index i) {
    const Routes::Fetch& fetch = routes_.fetches()[i];
    const PlacedVector<float>& to = fetch.shard.rank == routes_.rank() ? gradients.in : gradients.out;
    requests_.fetches()[i].rows.sum_gradients(fetched_gradients_.data(), fetched_gradients_at(i),
                                              to.data() + requests_.fetches()[i].at.gradients);
  });
}

std::unique_ptr<Answers> answers_on_host(const Routes& routes, const Requests& requests) {
  return std::make_unique<HostAnswers>(routes, requests);
}

}  // namespace tesserec::sharding
