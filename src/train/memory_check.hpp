// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Digest of each row of this rank's shards, with its optimizer states. Rows that no batch has moved since the last
/// digest must keep it. Leaves out tables that grow, that the dense kernel moves, or whose rows lie behind a cache.
class MemoryCheck {
 public:
  /// Computes the digests of all rows, begins to record which rows training moves, and logs what is left out.
  explicit MemoryCheck(Session& session);

  /// Compares all rows that have not moved since the last checkpoint or delta, and computes the digests of all rows
  /// anew. The caller forgets the moves afterwards. Throws MemoryFault on all ranks, with rank, host, table and row of
  /// the first that differs. Collective.
  void check();

 private:
  struct CheckedShard {
    embedding::EmbeddingTable* rows;
    std::vector<std::uint32_t> digests;
  };
  using Take = std::function<void(Range rows, std::span<const std::uint32_t> digests)>;
  void each_piece(const CheckedShard& shard, const Take& take) const;

  Session& session_;
  std::vector<CheckedShard> shards_;
};

}  // namespace tesserec::train
