// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <numeric>
#include <utility>

#include <tesserec/core/memory.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/sample_order.hpp>

namespace tesserec::data {
namespace {

/// Permutes the values by Fisher-Yates from the back. Entry i draws from row first_row + i of `random`.
template <class T>
void permute(std::vector<T>& values, const Random& random, Index first_row) {
  for (Index i = std::ssize(values) - 1; i > 0; --i)
    std::swap(values[i], values[random.below(std::uint64_t(i) + 1, first_row + i, 0)]);
}

void add_run(Range run, std::vector<Range>& runs) {
  if (run.size() == 0) return;
  if (!runs.empty() && runs.back().end == run.begin)
    runs.back().end = run.end;
  else
    runs.push_back(run);
}

}  // namespace

SampleOrder::SampleOrder(Index samples, const Deal& deal) : samples_(samples), deal_(deal) {
  const Index whole = samples / deal.batch_size, rest = samples % deal.batch_size;
  if (deal.shuffle) {
    const auto lane_samples = [&](int lane, Index n) { return deal.lanes.samples(lane, n).size(); };
    const int lanes_per_micro_batch = deal.lanes.count() / micro_batches();
    Index first = 0;
    for (int lane = 0; lane < deal.lanes.count(); ++lane) {
      const Index per_batch = lane_samples(lane, deal.batch_size);
      const Index size = whole * per_batch + lane_samples(lane, rest);
      const int micro = lane / lanes_per_micro_batch;
      if (deal.lanes.of_rank(deal.rank, deal.ranks, micro).contains(lane))
        streams_.push_back({lane, micro, first, size, per_batch, -1, {}});
      first += size;
    }
  } else {
    const auto rank_samples = [&](Index n) {
      Index size = 0;
      for (int micro = 0; micro < micro_batches(); ++micro) size += share(n, micro).size();
      return size;
    };
    const Index per_batch = rank_samples(deal.batch_size);
    streams_.push_back({0, 0, 0, whole * per_batch + rank_samples(rest), per_batch, -1, {}});
  }
  start(0);
}

void SampleOrder::start(Index epoch) {
  epoch_ = epoch;
  for (Stream& stream : streams_) stream.window = -1;
  if (!deal_.shuffle) return;
  const Index blocks = samples_ / order_block + (samples_ % order_block > 0 ? 1 : 0);
  with_memory([&] { return concat("the order of ", samples_, " samples"); }, double(blocks) * sizeof(Index),
              [&] { blocks_.resize(blocks); });
  std::iota(blocks_.begin(), blocks_.end(), Index{0});
  permute(blocks_, Random(deal_.seed, Purpose::block_order, std::uint64_t(epoch)), 0);
  short_place_ = 0;
  while (short_place_ < std::ssize(blocks_) && blocks_[short_place_] != std::ssize(blocks_) - 1) ++short_place_;
}

Index SampleOrder::local_samples(Index batch) const { return share(batch_samples(batch), micro_batch(batch)).size(); }

Range SampleOrder::positions(int stream, Index batch) const {
  const Stream& s = streams_[stream];
  const int micro = micro_batch(batch);
  const Index n = batch_samples(batch);
  Index first = batch / micro_batches() * s.per_batch;
  if (deal_.shuffle) {
    const Index size = micro == s.micro_batch ? deal_.lanes.samples(int(s.lane), n).size() : 0;
    return {first, first + size};
  }
  for (int earlier = 0; earlier < micro; ++earlier) first += share(n, earlier).size();
  return {first, first + share(n, micro).size()};
}

Range SampleOrder::window(int stream, Index window) const {
  return {window * order_window, std::min((window + 1) * order_window, streams_[stream].size)};
}

std::vector<Range> SampleOrder::runs(int stream, Index w) const {
  const Range range = window(stream, w);
  std::vector<Range> runs;
  if (deal_.shuffle)
    add_sequence({streams_[stream].first + range.begin, streams_[stream].first + range.end}, runs);
  else
    add_batches(range, runs);
  return runs;
}

void SampleOrder::add_sequence(Range range, std::vector<Range>& runs) const {
  const Index last = std::ssize(blocks_) - 1;
  const Index missing = (last + 1) * order_block - samples_;  // samples that the short block lacks
  for (Index at = range.begin; at < range.end;) {
    // Places after the short block start `missing` samples earlier.
    const bool behind = at >= (short_place_ + 1) * order_block - missing;
    const Index place = (at + (behind ? missing : 0)) / order_block;
    const Index start = place * order_block - (place > short_place_ ? missing : 0);
    const Index size = order_block - (place == short_place_ ? missing : 0);
    const Index end = std::min(range.end, start + size);
    const Index block = blocks_[place] * order_block;
    add_run({block + at - start, block + end - start}, runs);
    at = end;
  }
}

void SampleOrder::add_batches(Range range, std::vector<Range>& runs) const {
  const Index per_batch = streams_[0].per_batch;
  const Index whole = samples_ / deal_.batch_size;
  for (Index at = range.begin; at < range.end;) {
    Index batch = (per_batch > 0 ? std::min(at / per_batch, whole) : whole) * micro_batches();
    while (positions(0, batch).end <= at) ++batch;
    const Range own = positions(0, batch);
    const Index end = std::min(range.end, own.end);
    const Index first =
        batch / micro_batches() * deal_.batch_size + share(batch_samples(batch), micro_batch(batch)).begin;
    add_run({first + at - own.begin, first + end - own.begin}, runs);
    at = end;
  }
}

std::vector<std::uint16_t> SampleOrder::permutation(int stream, Index w) const {
  static_assert(order_window <= 65536);
  std::vector<std::uint16_t> order(window(stream, w).size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  if (deal_.shuffle) {
    const std::uint64_t lane = streams_[stream].lane;
    const Random random(deal_.seed, Purpose::sample_order, std::uint64_t(epoch_) << 32 | lane);
    permute(order, random, w * order_window);
  }
  return order;
}

const std::vector<Index>& SampleOrder::batch(Index batch) {
  batch_.clear();
  std::vector<Index> file_order;
  for (int s = 0; s < streams(); ++s) {
    Stream& stream = streams_[s];
    const Range own = positions(s, batch);
    for (Index at = own.begin; at < own.end; ++at) {
      if (const Index w = at / order_window; w != stream.window) {
        file_order.clear();
        for (const Range& run : runs(s, w))
          for (Index i = run.begin; i < run.end; ++i) file_order.push_back(i);
        stream.samples.clear();
        for (const std::uint16_t from : permutation(s, w)) stream.samples.push_back(file_order[from]);
        stream.window = w;
      }
      batch_.push_back(stream.samples[at % order_window]);
    }
  }
  return batch_;
}

}  // namespace tesserec::data
