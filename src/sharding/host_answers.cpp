// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "answers.hpp"
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec::sharding {
namespace {

constexpr Index samples_per_task = 128;

/// Sums of the bags of one route, one per subtree of row blocks.
struct NodeSums {
  const embedding::Nodes* nodes;
  const float* sums;
};

/// Adds the sums of a bag's routes by the tree. Returns the result, slots[0 .. dim).
TESSEREC_KERNEL const float* add_nodes(std::span<const Requests::BagPiece> pieces, const NodeSums* sources, Index dim,
                                       float* slots) {
  TreeOrder tree(whole_tree);
  const auto merge = [&](int into, int from) {
    for (Index c = 0; c < dim; ++c) slots[into * dim + c] += slots[from * dim + c];
  };
  for (const Requests::BagPiece& piece : pieces) {
    const NodeSums& source = sources[piece.route];
    for (Index node = source.nodes->begin(piece.bag); node < source.nodes->begin(piece.bag + 1); ++node) {
      float* to = slots + tree.push(source.nodes->leaf(node), merge) * dim;
      for (Index c = 0; c < dim; ++c) to[c] = source.sums[node * dim + c];
    }
  }
  tree.finish(merge);
  return slots;
}

/// Columns of a segment in the pooled vectors.
struct PooledColumns {
  float* out;  // address of sample 0
  Index dim, stride;
  const Index* mean_offsets;  // [samples + 1] bag offsets that give the divisors of means; null = no division
};

/// Adds the subtree sums of each sample's bag; 0 without ids. Two sums need no tree, because any two leaves meet in one
/// node.
TESSEREC_KERNEL void pool_pieces(Range samples, const Requests::BagPieces& bags, const NodeSums* sources,
                                 const PooledColumns& columns) {
  const Index dim = columns.dim;
  std::vector<float> slots(TreeOrder::max_slots * dim);
  for (Index s = samples.begin; s < samples.end; ++s) {
    const std::span<const Requests::BagPiece> pieces = bags.of(s);
    float* const to = columns.out + s * columns.stride;
    Index nodes = 0;
    const float *first = nullptr, *last = nullptr;
    for (const Requests::BagPiece& piece : pieces) {
      const NodeSums& source = sources[piece.route];
      const Index begin = source.nodes->begin(piece.bag);
      last = source.sums + begin * dim;
      if (nodes == 0) first = last;
      nodes += source.nodes->begin(piece.bag + 1) - begin;
    }
    if (nodes == 0) {
      for (Index c = 0; c < dim; ++c) to[c] = 0.0f;
      continue;
    }
    if (nodes == 2 && pieces.size() == 2) {
      for (Index c = 0; c < dim; ++c) to[c] = first[c] + last[c];
      first = to;
    } else if (nodes > 1) {
      first = add_nodes(pieces, sources, dim, slots.data());
    }
    if (columns.mean_offsets != nullptr)
      for (Index c = 0, length = columns.mean_offsets[s + 1] - columns.mean_offsets[s]; c < dim; ++c)
        to[c] = first[c] / float(length);
    else if (first != to)
      for (Index c = 0; c < dim; ++c) to[c] = first[c];
  }
}

/// Gathers the gradients of a route's bags. If `mean_offsets` is set, divides them by the lengths of whole bags.
TESSEREC_KERNEL void gather_gradients(std::span<const std::int32_t> samples, Index dim, const Index* mean_offsets,
                                      const float* gradients, Index stride, float* out) {
  for (const std::int32_t s : samples) {
    const float* gradient = gradients + s * stride;
    if (mean_offsets != nullptr)
      for (Index c = 0, length = mean_offsets[s + 1] - mean_offsets[s]; c < dim; ++c)
        out[c] = gradient[c] / float(length);
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

/// Divides rounded sums by the lengths of bags.
void HostAnswers::divide(const Exec&, const VectorMessage& rows) {
  for (std::size_t i = 0; i < routes_.vectors().segments.size(); ++i) {
    const VectorLayout::Segment& segment = routes_.vectors().segments[i];
    for (Index s = 0; segment.mean && s < requests_.samples(); ++s) {
      float* const sum =
          rows.out.data() + requests_.front().begin + s * routes_.vectors().pooled_width + segment.column;
      if (const Index length = requests_.bag_length(i, s); length > 1)
        for (Index c = 0; c < segment.dim; ++c) sum[c] /= float(length);
    }
  }
}

void HostAnswers::pool_bags(const Exec& exec, const VectorMessage& rows) {
  const std::vector<VectorLayout::Segment>& segments = routes_.vectors().segments;
  std::vector<NodeSums> sources;
  for (std::size_t r = 0; r < routes_.all().size(); ++r) sources.push_back({&request_of(r).nodes, sums_of(r, rows)});
  const Index tasks = (requests_.samples() + samples_per_task - 1) / samples_per_task;
  parallel_for(exec, "tesserec::sharding::pool", tasks, [&](Index task) {
    const Range samples{task * samples_per_task, std::min(requests_.samples(), (task + 1) * samples_per_task)};
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const VectorLayout::Segment& segment = segments[i];
      if (routes_.all()[segment.routes.front()].sums_in_place) continue;
      if (segment.sequence >= 0) {
        place_vectors(segment, samples, rows);
        continue;
      }
      pool_pieces(samples, requests_.pieces(i), sources.data(),
                  {rows.out.data() + requests_.front().begin + segment.column, segment.dim,
                   routes_.vectors().pooled_width, divides(segment) ? requests_.mean_offsets(i) : nullptr});
    }
  });
}

void HostAnswers::pool_fetched(const Exec& exec, const VectorMessage& rows) {
  parallel_for(exec, "tesserec::sharding::pool_fetched", std::ssize(requests_.fetches()), [&](Index i) {
    const Routes::Fetch& fetch = routes_.fetches()[i];
    const PlacedVector<float>& from = fetch.shard.rank == routes_.rank() ? rows.out : rows.in;
    for (std::size_t f = 0; f < fetch.keys.size(); ++f)
      requests_.fetches()[i].rows.pool(f, request_of(fetch.first_route + f).nodes,
                                       from.data() + requests_.fetches()[i].at.sums,
                                       fetched_sums_.data() + request_of(fetch.first_route + f).at.sums);
  });
}

void HostAnswers::place_vectors(const VectorLayout::Segment& segment, Range samples, const VectorMessage& rows) const {
  const Index stride = routes_.vectors().sequences[segment.sequence].dim;
  float* const out = rows.out.data() + requests_.front().sequences[segment.sequence].at + segment.column;
  for (const std::size_t r : segment.routes) {
    const OwnerBags& bags = request_of(r).bags;
    const float* from = sums_of(r, rows);
    const Index end = bags.offsets[bags.from(samples.end)];
    for (Index i = bags.offsets[bags.from(samples.begin)]; i < end; ++i)
      std::copy_n(from + i * segment.dim, segment.dim, out + bags.place(i) * stride);
  }
}

void HostAnswers::gather_vectors(const VectorLayout::Segment& segment, const VectorMessage& gradients) const {
  const Index stride = routes_.vectors().sequences[segment.sequence].dim;
  const float* const from = gradients.in.data() + requests_.front().sequences[segment.sequence].at + segment.column;
  for (const std::size_t r : segment.routes) {
    if (routes_.all()[r].gradients_in_place) continue;
    float* to = gradients_of(r, gradients);
    const OwnerBags& bags = request_of(r).bags;
    for (Index i = 0; i < bags.ids(); ++i) to = std::copy_n(from + bags.place(i) * stride, segment.dim, to);
  }
}

void HostAnswers::share(const Exec& exec, const VectorMessage& gradients) {
  const float* const pooled = gradients.in.data() + requests_.front().begin;
  const auto segments = std::ssize(routes_.vectors().segments);
  parallel_for(exec, "tesserec::sharding::share_gradients", segments, [&](Index i) {
    const VectorLayout::Segment& segment = routes_.vectors().segments[i];
    if (segment.sequence >= 0) return gather_vectors(segment, gradients);
    for (const std::size_t r : segment.routes)
      if (!routes_.all()[r].gradients_in_place)
        gather_gradients(request_of(r).bags.samples, segment.dim, segment.mean ? requests_.mean_offsets(i) : nullptr,
                         pooled + segment.column, routes_.vectors().pooled_width, gradients_of(r, gradients));
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
