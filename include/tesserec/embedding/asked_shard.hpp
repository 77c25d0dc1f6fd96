// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/embedding/table.hpp>

namespace tesserec::embedding {

/// What all ranks ask of one of this rank's shards for one batch.
struct AskedShard {
  ShardBags bags;                           ///< [run of samples][feature of the table]
  std::vector<std::vector<Nodes>> nodes;    ///< the sums returned for each
  std::vector<std::vector<Index>> sums_at;  ///< float offset of each one's sums
  std::vector<RowUse> gradients;            ///< of a fetched shard: the sums of gradients that will come
};

}  // namespace tesserec::embedding
