// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "message.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/asked_shard.hpp>
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

/// The owner's side of one batch: what came, shard by shard.
class Asked {
 public:
  explicit Asked(const Routes& routes) : routes_(routes), shards_(routes.own().size()) {}

  /// Numbers that each rank sends: whether it has an error, lengths of bags, and of each fetched shard rows and sums.
  void expect(const BatchSplit& split, Message<std::int32_t>& counts) const;

  /// The first rank whose counts say that it has an error; -1 = none.
  int first_refused(const Message<std::int32_t>& counts) const;

  /// How many ids and weights follow the counts that came.
  void count(const Message<std::int32_t>& counts, Message<Index>& ids, Message<float>& weights) const;

  /// Reads what came, which must stay. Others' sums and gradients begin at `others`, behind this rank's own and its
  /// front. Sets rows.to and gradients.from.
  void read(const BatchSplit& split, const Message<std::int32_t>& counts, const Message<Index>& ids,
            const Message<float>& weights, const Front& front, Offsets others, VectorMessage& rows,
            VectorMessage& gradients);

  /// Of Routes::own.
  const std::vector<embedding::AskedShard>& shards() const { return shards_; }

 private:
  /// Where reading is, in what came.
  struct Cursor {
    const std::int32_t* count;
    const Index* ids;
    const float* weights;
    Index* offsets;
  };
  void read_bags(std::size_t shard, int sender, Range samples, const Front& front, Cursor& at, Offsets& vectors);
  void read_rows(std::size_t shard, int lanes, Cursor& at, Offsets& vectors);

  const Routes& routes_;
  std::vector<embedding::AskedShard> shards_;
  std::vector<Index> offsets_;  // of all bags that came
};

}  // namespace tesserec::sharding
