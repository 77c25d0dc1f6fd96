// SPDX-License-Identifier: Apache-2.0
#include <tesserec/model/distributed_model_parallel.hpp>

namespace tesserec::model {
namespace {

std::vector<Index> pooled_dims(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::vector<Index> dims;
  for (const embedding::EmbeddingBagConfig& table : tables)
    dims.insert(dims.end(), table.feature_names.size(), table.embedding_dim);
  return dims;
}

}  // namespace

DistributedModelParallel::DistributedModelParallel(const Exec& exec, const comm::Communicator& comm,
                                                   const Settings& settings, Index dense_features,
                                                   const std::vector<std::string>& features,
                                                   std::vector<embedding::EmbeddingBagConfig> table_configs,
                                                   sharding::ShardingPlan plan, const Lanes& lanes,
                                                   const optim::Settings& sparse,
                                                   const optim::Settings& dense_optimizer)
    : tables(exec, comm, std::move(table_configs), std::move(plan), features, lanes, sparse, dense_optimizer),
      dense(settings, dense_features, pooled_dims(tables.tables())),
      parameters(make_vector<float>(exec, "tesserec::model::parameters", dense.parameters())),
      optimizer(exec, dense_optimizer, dense.parameters()) {}

void DistributedModelParallel::initialise(const Exec& exec, std::uint64_t seed) {
  tables.initialise(exec, seed);
  dense.initialise(exec, seed, parameters);
}

}  // namespace tesserec::model
