// SPDX-License-Identifier: Apache-2.0
// requests_pool.cpp where vectors lie on a device: the host, which knows the ids, says what is added to what.
#include "requests.hpp"

namespace tesserec::sharding {

void Requests::pool_on_device(const Exec& exec, const VectorMessage& rows) {
  pool_fetched_on_device(exec, rows);
  device_.clear();
  for (const Routes::Segment& segment : routes_.segments()) {
    if (routes_.all()[segment.routes.front()].sums_in_place) continue;
    const Index dim = segment.dim;
    const auto buffer_of = [&](std::size_t r) {
      const Route& route = routes_.all()[r];
      return route.fetched                   ? DeviceVectors::fetched
             : route.owner == routes_.rank() ? DeviceVectors::out
                                             : DeviceVectors::in;
    };
    if (segment.sequence >= 0) {
      const Index stride = routes_.sequences()[segment.sequence].dim;
      const Index front = front_.sequences[segment.sequence].at + segment.column;
      for (const std::size_t r : segment.routes)
        for (std::size_t i = 0; i < requests_[r].places.size(); ++i) {
          device_.begin(DeviceVectors::out, front + requests_[r].places[i] * stride, dim);
          device_.add(buffer_of(r), requests_[r].at.sums + Index(i) * dim, 0);
        }
      continue;
    }
    for (Index s = 0; s < samples_; ++s) {
      const Index length = segment.mean ? bag_length(segment, s) : 1;
      device_.begin(DeviceVectors::out, front_.begin + s * routes_.pooled_width() + segment.column, dim,
                    float(length > 0 ? length : 1));
      for (const std::size_t r : segment.routes) {
        const Request& request = requests_[r];
        for (Index node = request.nodes.offsets[s]; node < request.nodes.offsets[s + 1]; ++node)
          device_.add(buffer_of(r), request.at.sums + node * dim, request.nodes.leaves[node]);
      }
    }
  }
  device_.launch(device_of(exec), {rows.out.data(), rows.in.data(), fetched_sums_.data()});
}

void Requests::share_on_device(const Exec& exec, const VectorMessage& gradients) {
  fetched_gradients_.reserve(exec, "tesserec::sharding::fetched_gradients", fetched_end_.gradients);
  device_.clear();
  for (const Routes::Segment& segment : routes_.segments())
    for (const std::size_t r : segment.routes) {
      const Route& route = routes_.all()[r];
      if (route.gradients_in_place) continue;
      const auto buffer = route.fetched                   ? DeviceVectors::fetched
                          : route.owner == routes_.rank() ? DeviceVectors::in
                                                          : DeviceVectors::out;
      const Request& request = requests_[r];
      Index to = request.at.gradients;
      const auto move = [&](Index from, Index length) {
        device_.begin(buffer, to, segment.dim, float(length));
        device_.add(DeviceVectors::in, from, 0);
        to += segment.dim;
      };
      if (segment.sequence >= 0) {
        const Index stride = routes_.sequences()[segment.sequence].dim;
        const Index front = front_.sequences[segment.sequence].at + segment.column;
        for (const Index place : request.places) move(front + place * stride, 1);
        continue;
      }
      for (Index s = 0; s < samples_; ++s)
        if (request.length(s) > 0)
          move(front_.begin + s * routes_.pooled_width() + segment.column, segment.mean ? bag_length(segment, s) : 1);
    }
  device_.launch(device_of(exec), {gradients.out.data(), gradients.in.data(), fetched_gradients_.data()});
  sum_fetched_on_device(exec, gradients);
}

// What is fetched is pooled, and its gradients are summed, on the host.

void Requests::pool_fetched_on_device(const Exec& exec, const VectorMessage& rows) {
  fetched_sums_.reserve(exec, "tesserec::sharding::fetched_sums", fetched_end_.sums);
  std::vector<float> came, sums(fetched_end_.sums);
  for (std::size_t i = 0; i < fetches_.size(); ++i) {
    const Routes::Fetch& fetch = routes_.fetches()[i];
    const RowFetch& own = fetches_[i].rows;
    const PlacedVector<float>& from = fetch.shard.rank == routes_.rank() ? rows.out : rows.in;
    came.resize(std::ssize(own.rows()) * own.dim());
    copy(exec, place_, std::as_const(from).data() + fetches_[i].at.sums, Place::host, came.data(), std::ssize(came));
    for (std::size_t f = 0; f < fetch.keys.size(); ++f)
      own.pool(f, came.data(), sums.data() + requests_[fetch.first_route + f].at.sums);
  }
  copy(exec, Place::host, sums.data(), place_, fetched_sums_.data(), std::ssize(sums));
}

void Requests::sum_fetched_on_device(const Exec& exec, const VectorMessage& gradients) {
  if (fetches_.empty()) return;
  std::vector<float> vectors(fetched_end_.gradients), sums;
  copy(exec, place_, fetched_gradients_.data(), Place::host, vectors.data(), std::ssize(vectors));
  for (std::size_t i = 0; i < fetches_.size(); ++i) {
    const RowFetch& own = fetches_[i].rows;
    sums.resize(std::ssize(own.sums()) * own.dim());
    own.sum_gradients(vectors.data(), fetched_gradients_at(i), sums.data());
    const bool mine = routes_.fetches()[i].shard.rank == routes_.rank();
    const PlacedVector<float>& to = mine ? gradients.in : gradients.out;
    copy(exec, Place::host, sums.data(), place_, to.data() + fetches_[i].at.gradients, std::ssize(sums));
  }
}

}  // namespace tesserec::sharding
