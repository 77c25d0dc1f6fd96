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
  static constexpr Index none = -1;

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

  /// Returns a place of the home bucket that is in use and may be the one of the id, or `none`. Then prefetches the
  /// next bucket if the id may lie there.
  Index guess(Index block, std::uint64_t hash) const {
    const Index at = home(block, hash);
    const IndexBucket& bucket = buckets_[at];
    const int i = first_equal(bucket, tag(hash));
    if (i >= 0) return Index{bucket.places[i]};
    if (bucket.passed > 0) __builtin_prefetch(&buckets_[after(block, at)]);
    return none;
  }
  /// Returns the place for which `is_id` returns true, or `none`.
  template <class IsId>
  Index find(Index block, std::uint64_t hash, const IsId& is_id) const {
    Index found = none;
    probe(block, hash, [&](const IndexBucket& bucket) {
      for_equal(bucket, tag(hash), [&](int i) {
        if (found == none && is_id(Index{bucket.places[i]})) found = bucket.places[i];
      });
      return found == none && bucket.passed > 0;
    });
    return found;
  }
  /// Adds an id that the block lacks. The block must have fewer than `most` entries.
  void insert(Index block, std::uint64_t hash, Index place) const {
    probe(block, hash, [&](IndexBucket& bucket) {
      const int i = first_equal(bucket, 0);
      if (i < 0) {
        ++bucket.passed;
        return true;
      }
      bucket.tags[i] = tag(hash);
      bucket.places[i] = std::uint32_t(place);
      return false;
    });
  }
  /// Removes an entry, which must be there.
  void erase(Index block, std::uint64_t hash, Index place) const {
    probe(block, hash, [&](IndexBucket& bucket) {
      for (int i = 0; i < IndexBucket::size; ++i)
        if (bucket.tags[i] != 0 && bucket.places[i] == place) {
          bucket.tags[i] = 0;
          return false;
        }
      --bucket.passed;
      return true;
    });
  }

 private:
  static constexpr Index used_ = 8;  // entries per bucket of a full block: few more than one id in twenty lie elsewhere
  static constexpr std::uint64_t ones_ = 0x0101010101010101u;

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

  /// Returns the high bits of the bytes that equal `tag`, and maybe of some above the first of them.
  static std::uint64_t equal_bytes(std::uint64_t bytes, std::uint8_t tag) {
    const std::uint64_t x = bytes ^ ones_ * tag;
    return (x - ones_) & ~x & ones_ << 7;
  }
  static std::uint64_t equal_low(const IndexBucket& bucket, std::uint8_t tag) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, bucket.tags, sizeof bytes);
    return equal_bytes(bytes, tag);
  }
  static std::uint64_t equal_high(const IndexBucket& bucket, std::uint8_t tag) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, bucket.tags + 8, sizeof bytes);
    return equal_bytes(bytes, tag) & 0xffffffffu;
  }
  /// Returns the first entry with `tag`, or -1.
  static int first_equal(const IndexBucket& bucket, std::uint8_t tag) {
    if (const std::uint64_t low = equal_low(bucket, tag); low != 0) return std::countr_zero(low) / 8;
    const std::uint64_t high = equal_high(bucket, tag);
    return high == 0 ? -1 : 8 + std::countr_zero(high) / 8;
  }
  /// Calls `use(entry)` for all entries with `tag`.
  template <class Use>
  static void for_equal(const IndexBucket& bucket, std::uint8_t tag, const Use& use) {
    const auto use_first = [&](std::uint64_t equal, int first) {
      const int i = first + std::countr_zero(equal) / 8;
      if (bucket.tags[i] == tag) use(i);
    };
    for (std::uint64_t low = equal_low(bucket, tag); low != 0; low &= low - 1) use_first(low, 0);
    for (std::uint64_t high = equal_high(bucket, tag); high != 0; high &= high - 1) use_first(high, 8);
  }

  Index buckets_per_block_;
  Vector<IndexBucket> buckets_;  // [block][bucket]
};

}  // namespace tesserec::tiers
