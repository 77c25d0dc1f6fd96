// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <tesserec/embedding/asked_shard.hpp>

namespace tesserec::sharding {

class Exchange;
class SpareExchanges;

/// Bytes from one rank to others, and of these to other nodes.
struct BytesSent {
  Index all = 0, between_nodes = 0;
};

/// One batch on its way through a ShardedEmbeddingBagCollection: ids, buffers and messages. Several may be under way,
/// started in one order on every rank. Its end gives up what has not arrived; a later batch reuses the buffers.
class InFlight {
 public:
  /// No batch.
  InFlight();
  InFlight(InFlight&& other) noexcept;
  InFlight& operator=(InFlight&& other) noexcept;
  ~InFlight();

  explicit operator bool() const { return exchange_ != nullptr; }
  /// Samples of this rank, and of all.
  Index samples() const;
  Index global_size() const;
  /// Returns what this rank has sent so far.
  BytesSent bytes() const;
  /// After forward: the lookups asked of this rank's shards, in their order.
  const std::vector<embedding::AskedShard>& asked() const;
  /// Instead of forward, on all ranks: waits for what is under way and gives the batch up.
  void finish();

 private:
  friend class ShardedEmbeddingBagCollection;
  InFlight(std::unique_ptr<Exchange> exchange, std::shared_ptr<SpareExchanges> spare);

  std::unique_ptr<Exchange> exchange_;
  std::shared_ptr<SpareExchanges> spare_;
};

}  // namespace tesserec::sharding
