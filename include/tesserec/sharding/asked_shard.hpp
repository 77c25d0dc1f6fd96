// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/embedding/table.hpp>

namespace tesserec::sharding {

/// What all ranks ask of one of this rank's shards for one batch.
struct AskedShard {
  embedding::ShardBags bags;                         ///< [run of samples][feature of the table]
  std::vector<std::vector<embedding::Nodes>> nodes;  ///< the sums returned for each
  std::vector<std::vector<Index>> sums_at;           ///< float offset of each one's sums
  std::vector<embedding::RowUse> gradients;          ///< of a fetched shard: the sums of gradients that will come
};

}  // namespace tesserec::sharding
