// SPDX-License-Identifier: Apache-2.0
#include "device_lanes.hpp"

#include <array>

#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec::network {
namespace {

/// Team body that adds one lane's losses in order. All threads load a block of losses, and one thread adds it.
struct AddLosses {
  static constexpr int members = device_is_host ? 1 : 128;
  static constexpr Index block = 1024;
  Pieces chunks;
  const double* losses;
  double* sums;

  template <class Team>
  TESSEREC_FUNCTION void operator()(const Team& team) const {
    const Index lane = team.league_rank(), end = chunks.rows[chunks.of_lane[lane + 1]];
    double* const staged = reinterpret_cast<double*>(scratch_of(team, 2 * block));
    double sum = 0.0;
    for (Index first = chunks.rows[chunks.of_lane[lane]]; first < end; first += block) {
      const Index count = end - first < block ? end - first : block;
      for (Index i = team.team_rank(); i < count; i += members) staged[i] = losses[first + i];
      team.team_barrier();
      if (team.team_rank() == 0)
        for (Index i = 0; i < count; ++i) sum += staged[i];
      team.team_barrier();
    }
    if (team.team_rank() == 0) sums[lane] = sum;
  }
};

}  // namespace

Index DeviceLanes::start(const Device& device, const Lanes& lanes, Range my_lanes, Index global_size) {
  const Index first = lanes.samples(int(my_lanes.begin), global_size).begin;
  std::vector<Index> borders, of_lane;
  lane_rows_.clear();
  for (Index lane = my_lanes.begin; lane < my_lanes.end; ++lane) {
    const Range samples = lanes.samples(int(lane), global_size);
    of_lane.push_back(std::ssize(borders));
    lane_rows_.push_back(samples.begin - first);
    for (Index at = samples.begin; at < samples.end; at += chunk_samples) borders.push_back(at - first);
  }
  rows_ = lanes.samples(my_lanes, global_size).size();
  of_lane.push_back(std::ssize(borders));
  borders.push_back(rows_);
  lane_rows_.push_back(rows_);
  lanes_ = my_lanes;
  chunks_ = {of_lane.back(), my_lanes.size(), first_rows_.upload(device, borders),
             first_chunks_.upload(device, of_lane), lane_rows_.data()};
  return first;
}

double* DeviceLanes::losses(const Device& device) {
  reserve_device(device, lane_losses_, "tesserec::network::lane_losses", lanes_.size());
  return reserve_device(device, losses_, "tesserec::network::losses", rows_);
}

void DeviceLanes::sum_losses(const Device& device) {
  over_teams<AddLosses::members, 1>(device, "tesserec::network::lane_losses", lanes_.size(),
                                    AddLosses::block * sizeof(double),
                                    AddLosses{chunks_, losses_.data(), lane_losses_.data()});
}

LaneLosses DeviceLanes::lane_losses(const Device& device, Index global_size) {
  const Index lanes = lanes_.size();
  copy_to_host(device, lane_losses_.data(),
               reserve_pinned(device, host_losses_, "tesserec::network::lane_losses", lanes), lanes);
  losses_copied_.set(device);
  return LaneLosses([this, lanes, global_size] {
    losses_copied_.wait();
    std::vector<double> losses(host_losses_.data(), host_losses_.data() + lanes);
    for (double& loss : losses) loss /= double(global_size);
    return losses;
  });
}

LaneGradients DeviceLanes::gradients(const Device& device, Index size) {
  size_ = size;
  if (Index(gradients_.extent(0)) < lanes_.size() * size) {
    reserve_device(device, gradients_, "tesserec::network::lane_gradients", lanes_.size() * size);
    fill_on(device, "tesserec::network::clear_gaps", gradients_.data(), std::ssize(gradients_), 0.0f);
  }
  return {gradients_.data(), size};
}

void DeviceLanes::add(const Device& device, LaneSums& sums) {
  std::vector<LanePair> pairs;
  std::array<Index, TreeOrder::max_slots> in_slot;
  TreeOrder order(lanes_);
  const auto merge = [&](int into, int from) { pairs.push_back({in_slot[into], in_slot[from]}); };
  for (Index lane = lanes_.begin; lane < lanes_.end; ++lane) {
    const int slot = order.push(lane, merge);
    in_slot[slot] = lane - lanes_.begin;
  }
  order.finish(merge);

  const Index size = size_, additions = std::ssize(pairs);
  if (additions > 0) {
    const LanePair* const pair = pairs_.upload(device, pairs);
    float* const gradients = gradients_.data();
    over_numbers(
        device, "tesserec::network::lane_sums", size, KOKKOS_LAMBDA(Index i) {
          for (Index n = 0; n < additions; ++n)
            gradients[pair[n].into * size + i] += gradients[pair[n].from * size + i];
        });
  }
  sums.start(lanes_);
  for (int slot = 0; slot < order.size(); ++slot) {
    const PlacedVector<float> to = sums.next(order.leaf(slot));
    const float* const from = gradients_.data() + in_slot[slot] * size;
    if (to.place() == Place::device)
      copy_on_device(device, from, to.data(), size);
    else
      copy_to_host(device, from, to.data(), size);
  }
  if (sums.place() == Place::host) device.fence();
  sums.finish();
}

}  // namespace tesserec::network
