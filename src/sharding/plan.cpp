// SPDX-License-Identifier: Apache-2.0
#include <tesserec/sharding/plan.hpp>

namespace tesserec::sharding {

const char* name(ShardingType type) {
  switch (type) {
    case ShardingType::table_wise: return "table_wise";
    case ShardingType::row_wise: return "row_wise";
    case ShardingType::data_parallel: return "data_parallel";
  }
  return "";
}

const char* name(ComputeKernel kernel) { return kernel == ComputeKernel::fused ? "fused" : "dense"; }

Index table_bytes(const embedding::EmbeddingBagConfig& table, const optim::Settings& optimizer, Index rows) {
  Index floats = table.embedding_dim;
  for (const optim::StateInfo& state : optim::states(optimizer.type)) floats += state.per_row ? 1 : table.embedding_dim;
  return rows * floats * static_cast<Index>(sizeof(float));
}

}  // namespace tesserec::sharding
