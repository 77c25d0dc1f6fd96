// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/sharding/distributed_model_parallel.hpp>

namespace tesserec::sharding {

/// Returns `env`. Throws the same Error on all ranks, which names the first value that differs and the ranks, unless
/// all have the same tables, options and sharder. Collective.
const ShardingEnv& with_same_options(const ShardingEnv& env, const embedding::EmbeddingBagCollection& module,
                                     const ParallelOptions& options, const EmbeddingBagCollectionSharder& sharder);

}  // namespace tesserec::sharding
