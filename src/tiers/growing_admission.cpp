// SPDX-License-Identifier: Apache-2.0
#include "growing_admission.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <ranges>
#include <tuple>
#include <utility>

#include "growing_lists.hpp"
#include "growing_sort.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::tiers {
namespace {

using embedding::BlockOf;

constexpr Index ids_per_task = 4096;
// Ids between a bucket's prefetch and the use of its id, and between the prefetch of the place that the bucket names
// and that use. So 16 buckets and 16 places are in flight, about as many cache misses as a core has at once.
constexpr Index bucket_ahead = 32, place_ahead = 16;
constexpr Index no_kept_batches = std::numeric_limits<Index>::max();

LeavingOrder order_of(Eviction eviction) {
  if (eviction == Eviction::none) return LeavingOrder::none;
  return eviction == Eviction::lfu ? LeavingOrder::batches : LeavingOrder::last;
}

}  // namespace

GrowingAdmission::GrowingAdmission(const Exec& exec, const embedding::TableShard& shard, const GrowthSettings& settings)
    : name_(shard.config.name),
      settings_(settings),
      rows_(exec, {shard.blocks, shard.config.rows().size()}, order_of(settings.eviction)),
      counts_(shard.blocks.size()),
      block_misses_(shard.blocks.size() + 1) {
  if (settings.admit_after == 1) return;
  const Index per_block =
      Index(std::ceil(settings.waiting * double(shard.config.rows().size()) / double(embedding::block_count)));
  const BlockPlaces places{shard.blocks, std::max<Index>(1, per_block) * embedding::block_count};
  waiting_.emplace(exec, places, LeavingOrder::batches);
}

void GrowingAdmission::begin_batch(const Exec& exec) {
  ++batch_;
  if (settings_.eviction == Eviction::ttl) leave_unused(exec);
}

std::span<const Miss> GrowingAdmission::find(const Exec& exec, std::span<const Index> ids, bool trains, Index* slots) {
  const Index missing = find_rows(exec, ids, trains, slots);
  misses_.resize(missing);
  if (missing > 0) sort_misses(exec);
  return misses_;
}

/// Writes the slots of ids with a row, and -1 for other ids. Returns the number of others, which found_missing_ begins
/// with.
Index GrowingAdmission::find_rows(const Exec& exec, std::span<const Index> ids, bool trains, Index* slots) {
  const Index size = std::ssize(ids);
  const bool threads = concurrency(exec) > 1;
  if (std::ssize(found_missing_) < size) found_missing_.resize(size);
  std::atomic<Index> missing{0};
  const auto store_misses = [&](std::span<const Index> positions) {
    Miss* to = found_missing_.data() + missing.fetch_add(std::ssize(positions));
    for (const Index position : positions) *to++ = {ids[position], position};
  };
  parallel_for(exec, "tesserec::tiers::find", (size + ids_per_task - 1) / ids_per_task, [&](Index task) noexcept {
    const Index first = task * ids_per_task, end = std::min(size, first + ids_per_task);
    std::array<std::uint64_t, bucket_ahead> hashes;  // [position % bucket_ahead]
    std::array<Index, bucket_ahead> guesses;
    std::array<Index, bucket_ahead> misses;  // positions
    std::size_t count = 0;
    for (Index step = first; step < end + bucket_ahead; ++step) {
      const Index position = step - bucket_ahead, guessed = position + place_ahead;
      if (position >= first) {
        const std::size_t at = position % bucket_ahead;
        const Index slot = rows_.find(ids[position], hashes[at], guesses[at]);
        slots[position] = slot;
        if (slot < 0)
          misses[count++] = position;
        else if (trains)
          rows_.use(slot, std::uint32_t(batch_), threads);
        if (count == misses.size()) store_misses({misses.data(), std::exchange(count, 0)});
      }
      if (guessed >= first && guessed < end)
        guesses[guessed % bucket_ahead] = rows_.guess(hashes[guessed % bucket_ahead]);
      if (step < end) {
        hashes[step % bucket_ahead] = BlockOf::mixed(ids[step]);
        rows_.prefetch(hashes[step % bucket_ahead]);
      }
    }
    if (count > 0) store_misses({misses.data(), count});
  });
  exec.fence();
  return missing;
}

/// Sorts the misses by block, then id, then position.
void GrowingAdmission::sort_misses(const Exec& exec) {
  const std::span found = std::span(found_missing_).first(misses_.size());
  const auto block = [this](const Miss& miss) { return rows_.block(BlockOf::mixed(miss.id)); };
  std::fill(block_misses_.begin(), block_misses_.end(), 0);
  for (const Miss& miss : found) ++block_misses_[block(miss)];
  Index begin = 0;
  for (Index& count : block_misses_) begin += std::exchange(count, begin);
  for (const Miss& miss : found) misses_[block_misses_[block(miss)]++] = miss;
  for (std::size_t b = block_misses_.size() - 1; b > 0; --b) block_misses_[b] = block_misses_[b - 1];
  block_misses_[0] = 0;
  parallel_for(exec, "tesserec::tiers::sort", std::ssize(counts_), [this](Index block) {
    const std::size_t begin = block_misses_[block], count = block_misses_[block + 1] - begin;
    spread_sort(
        std::span(misses_).subspan(begin, count), [](const Miss& miss) { return ordered_bits(miss.id); },
        [](const Miss& a, const Miss& b) { return a.id != b.id ? a.id < b.id : a.position < b.position; },
        std::span(found_missing_).subspan(begin, count));
  });
}

bool GrowingAdmission::admit(const Exec& exec, Index* slots, const StartRows& start) {
  const bool alone = concurrency(exec) == 1;
  const BlockIds& touched = waiting_ ? *waiting_ : rows_;
  std::atomic<bool> all{true};
  parallel_for(exec, "tesserec::tiers::admit", std::ssize(counts_), [=, this, &start, &touched, &all](Index block) {
    std::vector<Index> aside;
    std::vector<NewRow> admitted;
    bool all_here = true;
    const Range misses{block_misses_[block], block_misses_[block + 1]};
    // No other thread changes the next block.
    if (alone && block + 1 < std::ssize(counts_)) rows_.prefetch_leaving(block + 1);
    const auto prefetch_place = [&](Index miss) {
      if (waiting_ && miss < misses.end) waiting_->guess(BlockOf::mixed(misses_[miss].id));
    };
    for (Index miss = misses.begin; miss < misses.begin + place_ahead; ++miss) prefetch_place(miss);
    for (Index begin = misses.begin; begin < misses.end;) {
      const Index id = misses_[begin].id, slot = admit_id(block, id, aside);
      if (slot >= 0) {
        start.prefetch(slot, admitted.size());
        admitted.push_back({slot, id});
      } else {
        all_here = false;
      }
      for (; begin < misses.end && misses_[begin].id == id; ++begin) {
        slots[misses_[begin].position] = slot;
        if (begin + bucket_ahead < std::ssize(misses_))
          touched.prefetch(BlockOf::mixed(misses_[begin + bucket_ahead].id));
        prefetch_place(begin + place_ahead);
      }
    }
    if (!all_here) all = false;
    rows_.restore(block, aside);
    start(admitted);
  });
  changed_ = true;
  return all;
}

/// Counts an id without a row. Returns the slot of its row if it gets one now, or -1.
Index GrowingAdmission::admit_id(Index block, Index id, std::vector<Index>& aside) {
  const std::uint64_t hash = BlockOf::mixed(id);
  Index waiting = -1, batches = 1;
  if (waiting_) {
    waiting = waiting_->find(id, hash);
    if (waiting >= 0) {
      waiting_->use(waiting, std::uint32_t(batch_));
    } else {
      std::vector<Index> none;
      if (waiting_->full(block)) waiting_->erase(block, waiting_->next_to_leave(block, no_kept_batches, none));
      waiting = waiting_->insert(hash, {id, batch_, 1});
    }
    batches = waiting_->use_of(waiting).batches;
    if (batches < settings_.admit_after) return -1;
  }
  if (rows_.full(block)) {
    const bool may_leave = settings_.eviction == Eviction::lru || settings_.eviction == Eviction::lfu;
    const Index victim = may_leave ? rows_.next_to_leave(block, batch_ - settings_.kept_batches + 1, aside) : -1;
    if (victim < 0) {
      ++counts_[block].refused;
      return -1;
    }
    leave(block, victim);
  }
  if (waiting_) waiting_->erase(block, waiting);
  ++counts_[block].admitted;
  return rows_.insert(hash, {id, batch_, batches});
}

/// Removes a row that no batch in flight uses.
void GrowingAdmission::leave(Index block, Index slot) {
  rows_.erase(block, slot);
  ++counts_[block].evicted;
}

/// Removes the rows that the last `ttl` batches did not use.
void GrowingAdmission::leave_unused(const Exec& exec) {
  std::atomic<bool> left{false};
  parallel_for(exec, "tesserec::tiers::leave", std::ssize(counts_), [&](Index block) {
    std::vector<Index> aside;
    for (;;) {
      const Index slot = rows_.next_to_leave(block, batch_ - settings_.ttl, aside);
      if (slot < 0) return;
      leave(block, slot);
      left = true;
    }
  });
  if (left) changed_ = true;
}

const std::vector<Index>& GrowingAdmission::order() {
  if (changed_) order_ = rows_.in_order();
  changed_ = false;
  return order_;
}

Growth GrowingAdmission::growth() const {
  Growth growth{.capacity = rows_.places().size()};
  for (Index block = 0; block < std::ssize(counts_); ++block) {
    growth.blocks.push_back(rows_.size(block));
    growth.occupied += rows_.size(block);
    if (waiting_) growth.waiting += waiting_->size(block);
    growth.admitted += counts_[block].admitted;
    growth.refused += counts_[block].refused;
    growth.evicted += counts_[block].evicted;
  }
  return growth;
}

GrowthState GrowingAdmission::state() {
  GrowthState state{.batch = batch_};
  const auto add = [](const BlockIds& ids, const std::vector<Index>& places, std::vector<IdUse>& to) {
    to.reserve(places.size());
    for (const Index place : places) to.push_back(ids.use_of(place));
  };
  add(rows_, order(), state.rows);
  if (waiting_) add(*waiting_, waiting_->in_order(), state.waiting);
  return state;
}

void GrowingAdmission::mark() {
  const auto ids_at = [](const BlockIds& ids, std::vector<Index> places) {
    for (Index& place : places) place = ids.use_of(place).id;
    return places;
  };
  mark_.emplace(batch_, ids_at(rows_, order()),
                waiting_ ? ids_at(*waiting_, waiting_->in_order()) : std::vector<Index>());
}

void GrowingAdmission::restore(const GrowthState& state, const StartRows& start) {
  rows_.clear();
  if (waiting_) waiting_->clear();
  std::fill(counts_.begin(), counts_.end(), BlockGrowth());
  changed_ = true;
  batch_ = state.batch;
  for (const auto* const list : {&state.rows, &state.waiting})
    check_order(name_, rows_, std::ssize(counts_), *list | std::views::transform(&IdUse::id));
  for (const IdUse& use : state.rows) add_row(name_, use, rows_, start);
  if (waiting_) add_waiting(*waiting_, state.waiting);
}

std::vector<Index> GrowingAdmission::apply(const GrowthChange& change, const StartRows& start) {
  for (const auto* const list : {&change.rows, &change.waiting})
    check_order(name_, rows_, std::ssize(counts_), *list | std::views::transform(&IdUse::id));
  for (const auto* const list : {&change.evicted, &change.not_waiting})
    check_order(name_, rows_, std::ssize(counts_), *list);
  changed_ = true;
  batch_ = change.batch;
  for (const Index id : change.evicted)
    if (!remove_id(rows_, id)) fail("table ", name_, ": id ", id, " has left, but has no row here");
  for (const IdUse& use : change.rows) remove_id(rows_, use.id);
  for (const IdUse& use : change.rows) add_row(name_, use, rows_, start);
  if (waiting_) {
    for (const Index id : change.not_waiting) remove_id(*waiting_, id);
    for (const IdUse& use : change.waiting) remove_id(*waiting_, use.id);
    add_waiting(*waiting_, change.waiting);
  }
  std::vector<Index> places;
  for (Index place = 0; places.size() < change.rows.size(); ++place)
    if (rows_.use_of(order()[place]).id == change.rows[places.size()].id) places.push_back(place);
  return places;
}

}  // namespace tesserec::tiers
