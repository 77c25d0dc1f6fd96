// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstring>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::tiers {

/// Some entries of an index, in one cache line.
struct alignas(64) IndexBucket {
  static constexpr int size = 12;
  std::uint8_t tags[size];     // 0 = empty
  std::uint32_t passed;        // entries that lie in later buckets, because this one was full
  std::uint32_t places[size];  // of ids in their block
};
static_assert(sizeof(IndexBucket) == 64 && std::endian::native == std::endian::little);

/// Hash tables from ids to places, one per block. Each has linear probing by buckets. A bucket counts the entries that
/// passed it (Bronson and Shi, Open-sourcing F14, 2019), so that removing an entry leaves no mark. Threads may use
/// different blocks at once.
class IdIndex {
 public:
  static constexpr Index none = -1, absent = -2;

  /// Takes the number of blocks, and the most entries of a block.
  IdIndex(const Exec& exec, Index blocks, Index most)
      : buckets_per_block_(most / used_ + 1),
        buckets_(make_vector<IndexBucket>(exec, "tesserec::tiers::index", blocks * buckets_per_block_)) {
    clear();
  }

  void clear() { std::memset(static_cast<void*>(buckets_.data()), 0, std::size_t(bytes())); }
  Index bytes() const { return std::ssize(buckets_) * Index{sizeof(IndexBucket)}; }
  [[gnu::always_inline]] void prefetch(Index block, std::uint64_t hash) const {
    __builtin_prefetch(&buckets_[home(block, hash)]);
  }

  /// Returns a place of the home bucket that may be the one of the id, `none`, or `absent` if the id has no place. If
  /// it returns `none`, it has prefetched the next bucket.
  [[gnu::always_inline]] Index guess(Index block, std::uint64_t hash) const {
    const Index at = home(block, hash);
    const IndexBucket& bucket = buckets_[at];
    if (const std::uint64_t equal = entries(bucket, tag(hash)); equal != 0) return Index{bucket.places[entry(equal)]};
    if (bucket.passed == 0) return absent;
    __builtin_prefetch(&buckets_[after(block, at)]);
    return none;
  }
  /// Returns the place for which `is_id` returns true, or `none`.
  template <class IsId>
  Index find(Index block, std::uint64_t hash, const IsId& is_id) const {
    Index found = none;
    probe(block, hash, [&](const IndexBucket& bucket) {
      for (std::uint64_t equal = entries(bucket, tag(hash)); equal != 0 && found == none; equal &= equal - 1)
        if (is_id(Index{bucket.places[entry(equal)]})) found = bucket.places[entry(equal)];
      return found == none && bucket.passed > 0;
    });
    return found;
  }
  /// Adds an id that the block lacks. The block must have fewer than `most` entries.
  void insert(Index block, std::uint64_t hash, Index place) const {
    probe(block, hash, [&](IndexBucket& bucket) {
      const std::uint64_t empty = entries(bucket, 0);
      if (empty == 0) {
        ++bucket.passed;
        return true;
      }
      bucket.tags[entry(empty)] = tag(hash);
      bucket.places[entry(empty)] = std::uint32_t(place);
      return false;
    });
  }
  /// Removes an entry, which must be there.
  void erase(Index block, std::uint64_t hash, Index place) const {
    probe(block, hash, [&](IndexBucket& bucket) {
      for (std::uint64_t equal = entries(bucket, tag(hash)); equal != 0; equal &= equal - 1)
        if (bucket.places[entry(equal)] == place) {
          bucket.tags[entry(equal)] = 0;
          return false;
        }
      --bucket.passed;
      return true;
    });
  }

 private:
  static constexpr Index used_ = 8;  // entries per bucket of a full block: few more than one id in twenty lie elsewhere

  static std::uint8_t tag(std::uint64_t hash) { return std::max<std::uint8_t>(1, std::uint8_t(hash)); }
  /// Returns the bucket where a search for an id begins: the bits below those of the block, scaled to the buckets.
  Index home(Index block, std::uint64_t hash) const {
    __extension__ using Wide = unsigned __int128;
    return block * buckets_per_block_ + Index(Wide(hash << 10) * std::uint64_t(buckets_per_block_) >> 64);
  }
  /// Calls `use(bucket)` from the home of an id on, while it returns true.
  template <class Use>
  void probe(Index block, std::uint64_t hash, const Use& use) const {
    Index at = home(block, hash);
    for (Index tries = 0; tries < buckets_per_block_ && use(buckets_[at]); ++tries) at = after(block, at);
  }
  /// Returns the bucket where a search goes on.
  Index after(Index block, Index at) const {
    const Index begin = block * buckets_per_block_;
    return at + 1 < begin + buckets_per_block_ ? at + 1 : begin;
  }

  /// Returns a set of the entries with `tag`: bit 8 i + 7 for entry i of the first eight, bit 8 i + 6 for entry 8 + i.
  static std::uint64_t entries(const IndexBucket& bucket, std::uint8_t tag) {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, bucket.tags, sizeof low);
    std::memcpy(&high, bucket.tags + 8, sizeof high);
    return equal_bytes(low, tag) | equal_bytes(high, tag) << 32 >> 33;
  }
  /// Returns one entry of a set: that of its lowest bit.
  static int entry(std::uint64_t set) {
    const int bit = std::countr_zero(set);
    return bit / 8 + 8 * (~bit & 1);
  }
  /// Returns the high bits of the bytes that equal `tag`.
  static std::uint64_t equal_bytes(std::uint64_t bytes, std::uint8_t tag) {
    constexpr std::uint64_t ones = 0x0101010101010101u, low_bits = 0x7f * ones;
    const std::uint64_t x = bytes ^ ones * tag;
    return ~(((x & low_bits) + low_bits) | x | low_bits);
  }

  Index buckets_per_block_;
  Vector<IndexBucket> buckets_;  // [block][bucket]
};

}  // namespace tesserec::tiers
