// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/sharding/distributed_model_parallel.hpp>

namespace tesserec::sharding {

/// Returns `env`. Throws the same Error on all ranks, naming the first value that differs, if any value does.
/// Collective.
const ShardingEnv& with_same_options(const ShardingEnv& env, const embedding::EmbeddingBagCollection& module,
                                     const ParallelOptions& options, const EmbeddingBagCollectionSharder& sharder);

}  // namespace tesserec::sharding
