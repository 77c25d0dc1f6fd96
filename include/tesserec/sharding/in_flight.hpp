// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include <tesserec/embedding/shard_lookups.hpp>

namespace tesserec::sharding {

class Exchange;
class SpareExchanges;

/// Bytes that one rank sent to other ranks, and the share of them that went to other nodes.
struct BytesSent {
  Index all = 0, between_nodes = 0;
};

/// Batch in flight in a ShardedEmbeddingBagCollection: its ids, buffers and messages. Several batches may be in flight,
/// if every rank starts them in one order. The destructor drops messages that have not arrived and leaves the buffers
/// to a later batch.
class InFlight {
 public:
  /// Holds no batch.
  InFlight();
  InFlight(InFlight&& other) noexcept;
  InFlight& operator=(InFlight&& other) noexcept;
  ~InFlight();

  explicit operator bool() const { return exchange_ != nullptr; }
  /// Returns the number of this rank's samples. global_size() returns the number of all ranks' samples.
  Index samples() const;
  Index global_size() const;
  /// Returns the bytes that this rank has sent for the batch so far.
  BytesSent bytes() const;
  /// Returns the lookups of all ranks in this rank's shards, in shard order. Valid after forward.
  const std::vector<embedding::ShardLookups>& lookups() const;
  /// Gives up the batch instead of a forward. Blocks until its messages have arrived. All ranks must call it.
  void finish();

 private:
  friend class ShardedEmbeddingBagCollection;
  InFlight(std::unique_ptr<Exchange> exchange, std::shared_ptr<SpareExchanges> spare);

  std::unique_ptr<Exchange> exchange_;
  std::shared_ptr<SpareExchanges> spare_;
  std::exception_ptr pin_error_;  // of this rank's stores, for forward
};

}  // namespace tesserec::sharding
