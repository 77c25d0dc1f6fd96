// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include <tesserec/core/lanes.hpp>

namespace tesserec {

Lanes::Lanes(int count, int micro_batches) : count_(count), micro_batches_(micro_batches) {
  assert(count > 0 && std::has_single_bit(unsigned(count)));
  assert(0 < micro_batches && micro_batches <= count && std::has_single_bit(unsigned(micro_batches)));
}

int Lanes::automatic(Index global_batch) {
  const auto power_below = [](Index x) { return x < 1 ? Index{1} : Index(std::bit_floor(std::uint64_t(x))); };
  return int(std::max(std::min<Index>(8, power_below(global_batch / 64)),
                      std::min<Index>(64, power_below(global_batch / 512))));
}

BatchSplit::BatchSplit(const Lanes& lanes, int ranks, Index n, int micro_batch) {
  first_.clear();
  rank_lanes_.clear();
  const Range own = lanes.of_micro_batch(micro_batch);
  const Index begin = lanes.samples(own, n).begin;
  for (Index l = 0; l <= lanes.count(); ++l)
    first_.push_back(lanes.samples({0, std::clamp(l, own.begin, own.end)}, n).end - begin);
  for (int r = 0; r <= ranks; ++r) rank_lanes_.push_back(lanes.of_rank(r, ranks, micro_batch).begin);
}

BatchSplit::BatchSplit(const Lanes& lanes, std::span<const Index> sizes)
    : BatchSplit(lanes, int(sizes.size()), std::accumulate(sizes.begin(), sizes.end(), Index{0})) {
  const int ranks = sizes.size();
  bool follows_law = true;
  for (int r = 0; r < ranks; ++r) follows_law = follows_law && samples(r).size() == sizes[r];
  if (follows_law) return;
  Index first = 0;
  for (int r = 0; r < ranks; first += sizes[r++]) {
    const Range own = this->lanes(r);
    for (Index l = own.begin; l < own.end; ++l) first_[l] = first + (l - own.begin) * sizes[r] / own.size();
  }
}

BatchSplit BatchSplit::of_ranks(Range ranks) const {
  BatchSplit split = *this;
  split.rank_lanes_.assign(rank_lanes_.begin() + ranks.begin, rank_lanes_.begin() + ranks.end + 1);
  return split;
}

int BatchSplit::lane_of(Index sample) const {
  assert(sample >= 0 && sample < global_size());
  return int(std::upper_bound(first_.begin(), first_.end(), sample) - first_.begin()) - 1;
}

}  // namespace tesserec
