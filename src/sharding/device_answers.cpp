// SPDX-License-Identifier: Apache-2.0
#include "answers.hpp"
#include "device_vectors.hpp"
#include <tesserec/core/tree_sum.hpp>

namespace tesserec::sharding {
namespace {

/// Returns the buffer of a route's vectors: that of fetched rows, this rank's own, or that of other ranks.
DeviceVectors::Buffer buffer_of(const Route& route, int rank, DeviceVectors::Buffer own, DeviceVectors::Buffer others) {
  if (route.fetched) return DeviceVectors::fetched;
  return route.owner == rank ? own : others;
}

/// Returns the height where the leaf of the next vector meets this one; 0 = the same leaf.
int height_before(Index leaf, Index next, Range leaves) {
  return next == leaf ? 0 : next_height(leaf, next, leaves.begin, leaves.end);
}

/// Answers with one launch per call. The host describes each vector and its addends.
class DeviceAnswers : public Answers {
 public:
  DeviceAnswers(const Routes& routes, const Requests& requests) : Answers(routes, requests, Place::device) {}

 private:
  void pool_fetched(const Exec& exec, const VectorMessage& rows) override;
  void pool_bags(const Exec& exec, const VectorMessage& rows) override;
  void divide(const Exec& exec, const VectorMessage& rows) override;
  void share(const Exec& exec, const VectorMessage& gradients) override;
  void sum_fetched(const Exec& exec, const VectorMessage& gradients) override;

  DeviceVectors device_;
};

}  // namespace

void DeviceAnswers::pool_bags(const Exec& exec, const VectorMessage& rows) {
  device_.clear();
  for (std::size_t i = 0; i < routes_.vectors().segments.size(); ++i) {
    const VectorLayout::Segment& segment = routes_.vectors().segments[i];
    if (routes_.all()[segment.routes.front()].sums_in_place) continue;
    const Index dim = segment.dim;
    const auto buffer_of = [&](std::size_t r) {
      return sharding::buffer_of(routes_.all()[r], routes_.rank(), DeviceVectors::out, DeviceVectors::in);
    };
    if (segment.sequence >= 0) {
      const Index stride = routes_.vectors().sequences[segment.sequence].dim;
      const Index front = requests_.front().sequences[segment.sequence].at + segment.column;
      for (const std::size_t r : segment.routes)
        for (Index id = 0; id < request_of(r).bags.ids(); ++id) {
          device_.begin(DeviceVectors::out, front + request_of(r).bags.place(id) * stride, dim);
          device_.add(buffer_of(r), request_of(r).at.sums + id * dim, 0);
        }
      continue;
    }
    for (Index s = 0; s < requests_.samples(); ++s) {
      const Index length = divides(segment) ? requests_.bag_length(i, s) : 1;
      device_.begin(DeviceVectors::out, requests_.front().begin + s * routes_.vectors().pooled_width + segment.column,
                    dim, float(length > 0 ? length : 1));
      for (const auto [r, bag] : requests_.pieces(i).of(s)) {
        const Requests::Request& request = request_of(r);
        for (Index node = request.nodes.begin(bag); node < request.nodes.begin(bag + 1); ++node)
          device_.add(buffer_of(r), request.at.sums + node * dim, request.nodes.leaf(node));
      }
    }
  }
  device_.launch(device_of(exec), {rows.out.data(), rows.in.data(), fetched_sums_.data()});
}

void DeviceAnswers::divide(const Exec& exec, const VectorMessage& rows) {
  device_.clear();
  for (std::size_t i = 0; i < routes_.vectors().segments.size(); ++i) {
    const VectorLayout::Segment& segment = routes_.vectors().segments[i];
    for (Index s = 0; segment.mean && s < requests_.samples(); ++s)
      if (const Index length = requests_.bag_length(i, s); length > 1) {
        const Index at = requests_.front().begin + s * routes_.vectors().pooled_width + segment.column;
        device_.begin(DeviceVectors::out, at, segment.dim, float(length));
        device_.add(DeviceVectors::out, at, 0);
      }
  }
  device_.launch(device_of(exec), {rows.out.data(), nullptr, nullptr});
}

void DeviceAnswers::share(const Exec& exec, const VectorMessage& gradients) {
  device_.clear();
  for (std::size_t i = 0; i < routes_.vectors().segments.size(); ++i) {
    const VectorLayout::Segment& segment = routes_.vectors().segments[i];
    for (const std::size_t r : segment.routes) {
      const Route& route = routes_.all()[r];
      if (route.gradients_in_place) continue;
      const auto buffer = buffer_of(route, routes_.rank(), DeviceVectors::in, DeviceVectors::out);
      const Requests::Request& request = request_of(r);
      Index to = request.at.gradients;
      const auto move = [&](Index from, Index length) {
        device_.begin(buffer, to, segment.dim, float(length));
        device_.add(DeviceVectors::in, from, 0);
        to += segment.dim;
      };
      if (segment.sequence >= 0) {
        const Index stride = routes_.vectors().sequences[segment.sequence].dim;
        const Index front = requests_.front().sequences[segment.sequence].at + segment.column;
        for (Index id = 0; id < request.bags.ids(); ++id) move(front + request.bags.place(id) * stride, 1);
        continue;
      }
      for (const std::int32_t s : request.bags.samples)
        move(requests_.front().begin + s * routes_.vectors().pooled_width + segment.column,
             segment.mean ? requests_.bag_length(i, s) : 1);
    }
  }
  device_.launch(device_of(exec), {gradients.out.data(), gradients.in.data(), fetched_gradients_.data()});
}

void DeviceAnswers::pool_fetched(const Exec& exec, const VectorMessage& rows) {
  device_.clear();
  for (std::size_t i = 0; i < requests_.fetches().size(); ++i) {
    const Routes::Fetch& fetch = routes_.fetches()[i];
    const RowFetch& own = requests_.fetches()[i].rows;
    const auto buffer = fetch.shard.rank == routes_.rank() ? DeviceVectors::out : DeviceVectors::in;
    for (std::size_t f = 0; f < fetch.keys.size(); ++f) {
      const embedding::Bags& bags = own.bags(f);
      const float* const weights = bags.weights;
      Index to = request_of(fetch.first_route + f).at.sums;
      const auto begin = [&] {
        device_.begin(DeviceVectors::fetched, to, own.dim());
        to += own.dim();
      };
      const auto row_of = [&](Index id) { return requests_.fetches()[i].at.sums + bags.slots[id] * own.dim(); };
      if (bags.unpooled) {
        for (Index id = 0; id < bags.total(); ++id) {
          begin();
          device_.add(buffer, row_of(id), 0);
        }
        continue;
      }
      for (Index bag = 0; bag < bags.count; ++bag) {
        const auto ids = own.in_blocks(f, bag);
        bool whole = true;  // the preceding sum is complete
        for (std::size_t k = 0; k < ids.size(); ++k) {
          const auto [block, id] = ids[k];
          const bool last = k + 1 == ids.size();
          const int height = last ? last_leaf : height_before(block, ids[k + 1].first, own.blocks());
          if (whole) begin();
          device_.add(buffer, row_of(id), weights == nullptr ? 1.0f : weights[id], height);
          whole = height == last_leaf;
        }
      }
    }
  }
  device_.launch(device_of(exec), {rows.out.data(), rows.in.data(), fetched_sums_.data()});
}

void DeviceAnswers::sum_fetched(const Exec& exec, const VectorMessage& gradients) {
  device_.clear();
  for (std::size_t i = 0; i < requests_.fetches().size(); ++i) {
    const RowFetch& own = requests_.fetches()[i].rows;
    const auto buffer = routes_.fetches()[i].shard.rank == routes_.rank() ? DeviceVectors::in : DeviceVectors::out;
    const std::vector<embedding::RowUse> uses = own.uses(fetched_gradients_at(i));
    Index to = requests_.fetches()[i].at.gradients;
    bool whole = true;  // the preceding sum is complete
    for (std::size_t k = 0; k < uses.size(); ++k) {
      const bool last = k + 1 == uses.size() || uses[k + 1].row != uses[k].row;
      const int height = last ? last_leaf : height_before(uses[k].lane, uses[k + 1].lane, own.lanes());
      if (whole) {
        device_.begin(buffer, to, own.dim());
        to += own.dim();
      }
      device_.add(DeviceVectors::fetched, uses[k].gradient, uses[k].weight, height);
      whole = height == last_leaf;
    }
  }
  device_.launch(device_of(exec), {gradients.out.data(), gradients.in.data(), fetched_gradients_.data()});
}

std::unique_ptr<Answers> answers_on_device(const Routes& routes, const Requests& requests) {
  return std::make_unique<DeviceAnswers>(routes, requests);
}

}  // namespace tesserec::sharding
