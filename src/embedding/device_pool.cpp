// SPDX-License-Identifier: Apache-2.0
// Kernels of a lookup. They sort the ids of each bag by row block, then add the rows.
#include "device_pool.hpp"

#include <bit>

#include "quad.hpp"

namespace tesserec::embedding {
namespace {

constexpr Index short_bag = 128;  // most ids of a bag in which each id finds its rank by comparing with all others
constexpr int block_bits = 10, block_levels = 10;  // log2(block_count)

struct FindBlocks {
  BagArrays bags;
  std::uint16_t* blocks;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index bag) const {
    const DeviceBag at = bags.at[bag];
    const DeviceShard& shard = bags.shards[at.shard];
    for (Index i = bags.begins[bag] + lanes.lane; i < bags.begins[bag + 1]; i += lanes.width)
      blocks[i] = at.copied ? 0 : std::uint16_t(shard.block_of(bags.ids[i]));
  }
};

/// Writes id i of a bag at position `to` in block order. `next`: block of the id that follows; -1 = i is the last.
struct OrderId {
  BagArrays bags;
  OrderedId* ordered;
  float* weights;  // null = 1
  TESSEREC_FUNCTION void operator()(const DeviceBag& bag, Index i, Index to, Index block, Index next) const {
    const DeviceShard& shard = bags.shards[bag.shard];
    const int height =
        next < 0 || bag.copied ? last_leaf : next_height(block, next, shard.blocks_begin, shard.blocks_end);
    ordered[to] = OrderedId::of(bags.slot(i, shard), bag.copied, height);
    if (weights != nullptr) weights[to] = bags.weights[i];
  }
};

struct OrderShortBags {
  OrderId place;
  const std::uint16_t* blocks;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index b) const {
    const DeviceBag bag = place.bags.at[b];
    const Index begin = place.bags.begins[b], end = place.bags.begins[b + 1];
    for (Index i = begin + lanes.lane; i < end; i += lanes.width) {
      if (bag.copied) {
        place(bag, i, i, 0, -1);
        continue;
      }
      const int own = blocks[i];
      Index to = begin;
      int next = block_count;
      for (Index j = begin; j < end; ++j) {
        const int other = blocks[j];
        const bool before = other < own || (other == own && j < i);
        to += before;
        if (!before && j != i && other < next) next = other;
      }
      place(bag, i, to, own, next == block_count ? -1 : next);
    }
  }
};

struct LongKeys {
  BagArrays bags;
  const std::uint16_t* blocks;
  std::uint64_t* keys;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index b) const {
    for (Index i = bags.begins[b] + lanes.lane; i < bags.begins[b + 1]; i += lanes.width)
      keys[i] = std::uint64_t(b) << block_bits | blocks[i];
  }
};

struct OrderSorted {
  OrderId place;
  const std::uint64_t* sorted;
  const std::uint32_t* places;
  Index count;
  TESSEREC_FUNCTION void operator()(const LaneGroup&, Index to) const {
    const std::uint64_t key = sorted[to], next = to + 1 < count ? sorted[to + 1] : ~std::uint64_t{0};
    const bool last = key >> block_bits != next >> block_bits;
    constexpr std::uint64_t block = block_count - 1;
    place(place.bags.at[key >> block_bits], places[to], to, Index(key & block), last ? -1 : Index(next & block));
  }
};

/// Adds the rows of each bag by the tree of blocks. Each thread takes quads of columns and loads several rows at once.
template <bool whole, class Format>
struct Pool {
  BagArrays bags;
  const OrderedId* ordered;
  const float* weights;  // in block order; null = 1
  float* sums;
  Quads<whole> quads;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index b) const {
    const DeviceBag bag = bags.at[b];
    const RowQuads<whole, Format> row_quads{quads, {}};
    const auto* const rows = static_cast<const typename Format::Number*>(bags.shards[bag.shard].weights);
    const Index begin = bags.begins[b], end = bags.begins[b + 1];
    for (Index q = lanes.lane; q < quads.count(); q += lanes.width) {
      constexpr int ahead = 4;
      float* out = sums + bag.sums;
      TreeSum<Quad, block_levels> tree;
      Quad sum{};
      if (begin == end && bag.sums >= 0) quads.store(out, q, sum);
      for (Index i = begin; i < end; i += ahead) {
        Quad row[ahead] = {};
        OrderedId id[ahead] = {};
        float weight[ahead] = {};
        TESSEREC_UNROLL
        for (int k = 0; k < ahead; ++k) {
          if (i + k >= end) break;
          id[k] = ordered[i + k];
          weight[k] = weights == nullptr ? 1.0f : weights[i + k];
          row[k] = row_quads.load(rows + id[k].slot() * quads.dim, q);
        }
        TESSEREC_UNROLL
        for (int k = 0; k < ahead; ++k) {
          if (i + k >= end) break;
          sum = id[k].copied() ? row[k] : fma(weight[k], row[k], sum);
          const int height = id[k].height();
          if (height == 0) continue;
          tree.climb(sum, height);
          if (height == last_leaf) {  // complete sum of a whole subtree
            quads.store(out, q, sum);
            out += bag.copied ? bag.sums_stride : quads.dim;
          }
          sum = Quad{};
        }
      }
    }
  }
};

}  // namespace

void DevicePool::order(const Device& exec, const DeviceBags& device_bags) {
  const BagArrays& bags = device_bags.arrays();
  const Index ids = bags.ids_count, average = bags.bags > 0 ? ids / bags.bags : 0;
  reserve_device(exec, blocks_, "tesserec::embedding::blocks", ids);
  reserve_device(exec, ordered_, "tesserec::embedding::ordered_ids", ids);
  if (bags.weights != nullptr) reserve_device(exec, ordered_weights_, "tesserec::embedding::ordered_weights", ids);
  const OrderId place{bags, ordered_.data(), bags.weights == nullptr ? nullptr : ordered_weights_.data()};
  launch(exec, "tesserec::embedding::find_blocks", bags.bags, average, FindBlocks{bags, blocks_.data()});
  if (device_bags.longest() <= short_bag)
    return launch(exec, "tesserec::embedding::order_short_bags", bags.bags, average,
                  OrderShortBags{place, blocks_.data()});
  reserve_device(exec, long_.keys, "tesserec::embedding::long_keys", ids);
  launch(exec, "tesserec::embedding::long_keys", bags.bags, average, LongKeys{bags, blocks_.data(), long_.keys.data()});
  long_.sort(exec, long_.keys, long_.sorted, long_.places, ids, block_bits + std::bit_width(std::uint64_t(bags.bags)));
  launch(exec, "tesserec::embedding::order_sorted", ids, 1,
         OrderSorted{place, long_.sorted.data(), long_.places.data(), ids});
}

template <bool whole>
void DevicePool::pool(const Device& exec, const BagArrays& bags, float* sums) {
  const Quads<whole> quads{dim_};
  const float* const weights = bags.weights == nullptr ? nullptr : ordered_weights_.data();
  with_format(format_, [&](auto format) {
    launch(exec, "tesserec::embedding::pool", bags.bags, quads.count(),
           Pool<whole, decltype(format)>{bags, ordered_.data(), weights, sums, quads});
  });
}

void DevicePool::lookup(const Device& exec, const DeviceBags& bags, float* sums) {
  order(exec, bags);
  if (bags.whole_sums() && reinterpret_cast<std::uintptr_t>(sums) % sizeof(Quad) == 0)
    pool<true>(exec, bags.arrays(), sums);
  else
    pool<false>(exec, bags.arrays(), sums);
}

}  // namespace tesserec::embedding
