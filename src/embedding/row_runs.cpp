// SPDX-License-Identifier: Apache-2.0
#include "row_runs.hpp"

#include <bit>

#include <tesserec/core/tree.hpp>
#include <tesserec/core/tree_sum.hpp>

namespace tesserec::embedding {
namespace {

/// Finds the key (shard, row) and the use of each id.
struct UsesOfBags {
  BagArrays bags;
  int row_bits;
  std::uint64_t* keys;
  DeviceUse* uses;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index b) const {
    const DeviceBag bag = bags.at[b];
    const DeviceShard& shard = bags.shards[bag.shard];
    const Index begin = bags.begins[b], end = bags.begins[b + 1];
    for (Index i = begin + lanes.lane; i < end; i += lanes.width) {
      keys[i] = std::uint64_t(bag.shard) << row_bits | std::uint64_t(bags.slot(i, shard));
      uses[i] = DeviceUse::of(bag.gradient_of(i - begin), bags.weights == nullptr ? 1.0f : bags.weights[i], bag.lane,
                              false, 0);
    }
  }
};

/// Gathers the uses in sorted order, each with the height where the next use's lane meets its own.
struct Arrange {
  const std::uint64_t* sorted;
  const std::uint32_t* places;
  const DeviceUse* unsorted;
  DeviceUse* uses;
  Index count, lanes_begin, lanes_end;
  TESSEREC_FUNCTION void operator()(const LaneGroup&, Index i) const {
    const DeviceUse use = unsorted[places[i]];
    const bool last = i + 1 == count || sorted[i + 1] != sorted[i];
    const int height =
        last ? last_leaf : next_height(use.lane(), unsorted[places[i + 1]].lane(), lanes_begin, lanes_end);
    uses[i] = DeviceUse::of(use.gradient, use.weight, use.lane(), use.sums(), height);
  }
};

/// Scan that finds the begin of each run.
struct FindRuns {
  using value_type = Index;
  const std::uint64_t* sorted;
  const DeviceUse* uses;
  Index count;
  std::uint64_t* rows;
  Index* begins;
  std::uint32_t* run_of;
  Index* runs;
  KOKKOS_INLINE_FUNCTION void operator()(Index i, Index& so_far, bool final) const {
    const bool begins_run = i == 0 || uses[i - 1].height() == last_leaf;
    if (final && begins_run) {
      rows[so_far] = sorted[i];
      begins[so_far] = i;
    }
    so_far += begins_run;
    if (!final) return;
    run_of[i] = std::uint32_t(so_far - 1);
    if (i + 1 == count) {
      *runs = so_far;
      begins[so_far] = count;
    }
  }
};

/// Scan that finds the pieces, which are the lanes of hot rows.
struct FindPieces {
  using value_type = Index;
  const DeviceUse* uses;
  const Index* begins;
  const std::uint32_t* run_of;
  Index count, hot, dim;
  Index *first_piece, *last_piece, *piece_begin, *pieces;
  DeviceUse* piece_uses;
  KOKKOS_INLINE_FUNCTION void operator()(Index i, Index& so_far, bool final) const {
    const Index run = run_of[i], begin = begins[run], end = begins[run + 1];
    const bool is_hot = end - begin > hot;
    const bool begins_piece = is_hot && (i == begin || uses[i - 1].height() > 0);
    if (final && i == begin) first_piece[run] = is_hot ? so_far : -1;
    if (final && begins_piece) piece_begin[so_far] = i;
    so_far += begins_piece;
    if (!final) return;
    if (is_hot && uses[i].height() > 0)
      piece_uses[so_far - 1] = DeviceUse::of((so_far - 1) * dim, 1.0f, uses[i].lane(), true, uses[i].height());
    if (i + 1 == end) last_piece[run] = so_far - 1;
    if (i + 1 == count) *pieces = so_far;
  }
};

}  // namespace

RowRuns::RowRuns(Index shards, Index rows, Index dim)
    : dim_(dim),
      row_bits_(std::bit_width(std::uint64_t(std::max<Index>(rows - 1, 0)))),
      key_bits_(row_bits_ + std::bit_width(std::uint64_t(shards - 1))) {}

void RowRuns::order(const Device& exec, const DeviceBags& device_bags, int lane_count, Range lanes) {
  const BagArrays& bags = device_bags.arrays();
  lane_count_ = lane_count;
  whole_gradients_ = device_bags.whole_gradients();
  reserve_device(exec, keys_, "tesserec::embedding::row_keys", bags.ids_count);
  reserve_device(exec, unsorted_, "tesserec::embedding::unsorted_uses", bags.ids_count);
  launch(exec, "tesserec::embedding::find_uses", bags.bags, bags.bags > 0 ? bags.ids_count / bags.bags : 0,
         UsesOfBags{bags, row_bits_, keys_.data(), unsorted_.data()});
  sort(exec, keys_, unsorted_.data(), bags.ids_count, lanes);
}

void RowRuns::order_sums(const Device& exec, std::span<const std::span<const RowUse>> sums, int lane_count,
                         Range lanes) {
  lane_count_ = lane_count;
  whole_gradients_ = dim_ % 4 == 0;
  Index count = 0;
  for (const std::span<const RowUse>& of_shard : sums) count += std::ssize(of_shard);
  std::uint64_t* key = sent_keys_.reserve(exec, "tesserec::embedding::sent_keys", count);
  DeviceUse* use = sent_uses_.reserve(exec, "tesserec::embedding::sent_uses", count);
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (const RowUse& sum : sums[i]) {
      *key++ = std::uint64_t(i) << row_bits_ | std::uint64_t(sum.row);
      whole_gradients_ = whole_gradients_ && sum.gradient % 4 == 0;
      *use++ = DeviceUse::of(sum.gradient, sum.weight, sum.lane, true, 0);
    }
  sent_keys_.send(exec, count);
  sort(exec, sent_keys_.view(), sent_uses_.send(exec, count), count, lanes);
}

void RowRuns::sort(const Device& exec, const DeviceVector<std::uint64_t>& keys, const DeviceUse* unsorted, Index count,
                   Range lanes) {
  // The law makes the sum of a lane one sequential chain. A row with more than 8 uses per lane is hot, and its lanes
  // are summed in parallel.
  const Index hot = lane_count_ > 1 ? 8 * Index{lane_count_} : count, max_pieces = count / 8 + 1;
  reserve_device(exec, uses_, "tesserec::embedding::uses", count);
  reserve_device(exec, rows_, "tesserec::embedding::run_rows", count);
  reserve_device(exec, begins_, "tesserec::embedding::run_begins", count + 1);
  reserve_device(exec, run_of_, "tesserec::embedding::run_of_use", count);
  reserve_device(exec, first_piece_, "tesserec::embedding::first_piece", count);
  reserve_device(exec, last_piece_, "tesserec::embedding::last_piece", count);
  reserve_device(exec, piece_begin_, "tesserec::embedding::piece_begins", max_pieces);
  reserve_device(exec, piece_uses_, "tesserec::embedding::piece_uses", max_pieces);
  Index* const counts = reserve_device(exec, counts_, "tesserec::embedding::run_counts", 2);
  fill_on(exec, "tesserec::embedding::clear_counts", counts, 2, Index{0});
  sort_(exec, keys, sorted_, places_, count, key_bits_);
  launch(exec, "tesserec::embedding::arrange_uses", count, 1,
         Arrange{sorted_.data(), places_.data(), unsorted, uses_.data(), count, lanes.begin, lanes.end});
  scan_numbers(exec, "tesserec::embedding::find_runs", count,
               FindRuns{sorted_.data(), uses_.data(), count, rows_.data(), begins_.data(), run_of_.data(), counts});
  scan_numbers(exec, "tesserec::embedding::find_pieces", count,
               FindPieces{uses_.data(), begins_.data(), run_of_.data(), count, hot, dim_, first_piece_.data(),
                          last_piece_.data(), piece_begin_.data(), counts + 1, piece_uses_.data()});
  arrays_ = {count,
             max_pieces,
             counts,
             counts + 1,
             rows_.data(),
             begins_.data(),
             first_piece_.data(),
             last_piece_.data(),
             piece_begin_.data(),
             uses_.data(),
             piece_uses_.data(),
             row_bits_};
}

}  // namespace tesserec::embedding
