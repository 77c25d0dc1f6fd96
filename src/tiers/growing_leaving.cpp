// SPDX-License-Identifier: Apache-2.0
#include "growing_leaving.hpp"

#include <array>
#include <bit>

#include "growing_sort.hpp"

namespace tesserec::tiers {
namespace {

constexpr Index sample_size = 256;
constexpr Index least_sample = 64;  // of fewer, all ids become candidates
constexpr Index share_of_candidates = 4;
constexpr std::size_t most_late = 64;  // candidates added late, or a quarter of the sorted ones

constexpr auto leaves_later = [](const auto& a, const auto& b) { return b.rank < a.rank; };

}  // namespace

void LeavingIds::add(Index block, Index place) {
  BlockQueue& queue = queues_[block];
  const Rank rank = rank_of(ids_[place]);
  if (rank >= queue.bound) return;
  if (queue.late.size() >= std::max(most_late, queue.sorted.size() / 4))  // those that left are among them
    queue = {};
  else
    push(queue, {rank, std::uint32_t(place)});
}

Index LeavingIds::take(Index block, Index used, Index kept, std::vector<Index>& aside) {
  if (order_ == LeavingOrder::none) return none;
  BlockQueue& queue = queues_[block];
  for (Leaving first{};;) {
    if (!pop(queue, first)) {
      if (queue.bound == highest_) return none;
      refill({places_.first(block), places_.first(block) + used}, queue, aside.empty() ? lowest_ : queue.bound);
      continue;
    }
    const PlacedId& id = ids_[first.place];
    const Rank now = rank_of(id);
    if (now != first.rank) {
      // The place may be empty, or have another id, which is a candidate anyway if its rank is below the bound.
      if (first.rank < now && now < queue.bound) push(queue, {now, first.place});
    } else if (id.last < kept) {
      return first.place;
    } else if (order_ == LeavingOrder::last) {
      push(queue, first);
      return none;
    } else {
      aside.push_back(first.place);
    }
  }
}

void LeavingIds::restore(Index block, std::vector<Index>& aside) {
  for (const Index place : aside) add(block, place);
  aside.clear();
}

Index LeavingIds::bytes() const {
  if (order_ == LeavingOrder::none) return 0;
  std::size_t now = 0;
  for (const BlockQueue& queue : queues_) now += queue.sorted.capacity() + queue.late.capacity();
  const Index most = places_.size() * (order_ == LeavingOrder::batches ? sorted_bytes_ + late_bytes_ : sorted_bytes_);
  return std::max(most, Index(now * sizeof(Leaving)));
}

/// Removes the first candidate. Returns false if there is none.
bool LeavingIds::pop(BlockQueue& queue, Leaving& first) {
  const bool has_sorted = queue.next < queue.sorted.size();
  if (queue.late.empty() || (has_sorted && queue.sorted[queue.next].rank < queue.late.front().rank)) {
    if (has_sorted) first = queue.sorted[queue.next++];
    return has_sorted;
  }
  std::ranges::pop_heap(queue.late, leaves_later);
  first = queue.late.back();
  queue.late.pop_back();
  return true;
}

void LeavingIds::push(BlockQueue& queue, const Leaving& candidate) {
  queue.late.push_back(candidate);
  std::ranges::push_heap(queue.late, leaves_later);
}

/// Makes the first ids of some places, from rank `from` on, candidates, and moves the bound behind them.
void LeavingIds::refill(Range places, BlockQueue& queue, Rank from) const {
  queue.bound = bound_of(places, from);
  queue.next = 0;
  queue.sorted.clear();
  queue.sorted.reserve(places.size() / 3);
  for (Index place = places.begin; place < places.end; ++place) {
    const Rank rank = rank_of(ids_[place]);
    if (rank >= from && rank < queue.bound) queue.sorted.push_back({rank, std::uint32_t(place)});
  }
  sort(queue.sorted);
}

/// Sorts candidates. The key has the differences from the least batches and the least last batch in as few bits as they
/// need. With the bits of `use` that none of them needs, most candidates of equal batches would be in one interval.
void LeavingIds::sort(std::span<Leaving> candidates) {
  const auto batches = [](const Leaving& candidate) { return candidate.rank.use >> 32; };
  const auto last = [](const Leaving& candidate) { return candidate.rank.use & 0xffffffff; };
  std::uint64_t least_batches = ~0u, most_batches = 0, least_last = ~0u, most_last = 0;
  for (const Leaving& candidate : candidates) {
    least_batches = std::min(least_batches, batches(candidate));
    most_batches = std::max(most_batches, batches(candidate));
    least_last = std::min(least_last, last(candidate));
    most_last = std::max(most_last, last(candidate));
  }
  const int last_bits = int(std::bit_width(most_last - least_last));
  const int use_bits = std::max(1, int(std::bit_width(most_batches - least_batches)) + last_bits);
  std::vector<Leaving> scratch(candidates.size());
  spread_sort(
      candidates,
      [=](const Leaving& candidate) {
        const std::uint64_t use = (batches(candidate) - least_batches) << last_bits | (last(candidate) - least_last);
        return use << (64 - use_bits) | ordered_bits(candidate.rank.id) >> 1 >> (use_bits - 1);
      },
      [](const Leaving& a, const Leaving& b) { return a.rank < b.rank; }, std::span(scratch));
}

/// Returns a rank before which a block has about a quarter of the ids from rank `from` on, by a sample of its places.
LeavingIds::Rank LeavingIds::bound_of(Range places, Rank from) const {
  std::array<Rank, sample_size> sample;
  const Index step = std::max<Index>(1, (places.size() + sample_size - 1) / sample_size);
  Index count = 0;
  for (Index place = places.begin; place < places.end; place += step) __builtin_prefetch(&ids_[place]);
  for (Index place = places.begin; place < places.end; place += step) {
    const Rank rank = rank_of(ids_[place]);
    if (rank >= from) sample[count++] = rank;
  }
  if (count < least_sample) return highest_;
  Rank* const bound = sample.data() + count / share_of_candidates;
  std::nth_element(sample.data(), bound, sample.data() + count);
  return *bound;
}

}  // namespace tesserec::tiers
