// SPDX-License-Identifier: Apache-2.0
/// A generator of planning problems: set k is a function of k alone.
#pragma once

#include <algorithm>
#include <cmath>

#include <tesserec/core/random.hpp>
#include <tesserec/planning/planner.hpp>

namespace random_tables {

using namespace tesserec;

struct Set {
  std::vector<embedding::EmbeddingBagConfig> tables;
  planning::Settings settings;
  planning::Topology topology;
  optim::Settings optimizer;
  Index global_batch = 0;

  planning::EmbeddingShardingPlanner planner() const {
    return {topology, settings, optimizer, optimizer, global_batch};
  }
};

struct Kind {
  bool skewed = false;   ///< ids by Zipf's law, exponents up to 1.5, else uniform
  bool popular = false;  ///< and the rows of the first blocks are the frequent ones
  int max_ranks = 128;
  Index tables = 0;  ///< number of tables and of ranks; 0 = drawn
  int ranks = 0;
};

/// Returns frequencies of a table whose first blocks are the popular ones: blocks follow Zipf's law, the rows of a
/// block are alike.
inline std::shared_ptr<const planning::Popularity> first_blocks(Index rows, double exponent) {
  const embedding::RowBlocks blocks(rows);
  auto popular = std::make_shared<planning::Popularity>();
  popular->from = "made up";
  double sum = 0;
  for (Index b = 0; b <= blocks.block(rows - 1); ++b) {
    const double own = double(blocks.rows({b, b + 1}).size()), times = std::pow(double(b + 1), -exponent);
    popular->rows.push_back({b, own, times});
    sum += own * times;
  }
  for (planning::BlockRows& block_rows : popular->rows) block_rows.share /= sum;
  return popular;
}

/// Returns set k. Rows are log-uniform in 10 to 3e7, dims are multiples of 4 from 16 to 256, bags have 1 to 100 ids.
/// The set has 1 to 1000 tables on 2 to kind.max_ranks ranks, log-uniform, with 1, 2, 4 or 8 ranks a node. Even sets
/// have unlimited memory. Odd sets have 1.3 to 5 times a fair share, and enough for the largest table cut over all
/// ranks.
inline Set random_set(std::uint64_t k, const Kind& kind = {}) {
  const Random random(k, Purpose::test);
  const auto uniform = [&](Index row, Index column) { return random.uniform53(row, column); };
  const auto log_uniform = [&](double low, double high, Index row, Index column) {
    return low * std::exp(uniform(row, column) * std::log(high / low));
  };
  Set set;
  const auto count = kind.tables > 0 ? kind.tables : static_cast<Index>(log_uniform(1, 1001, 0, 0));
  set.topology.ranks = kind.ranks > 0 ? kind.ranks : static_cast<int>(log_uniform(2, kind.max_ranks + 1, 0, 1));
  set.topology.ranks_per_node = 1 << static_cast<int>(4 * uniform(0, 2));
  while (set.topology.ranks % set.topology.ranks_per_node != 0) set.topology.ranks_per_node /= 2;
  const optim::Type types[] = {optim::Type::sgd, optim::Type::adagrad, optim::Type::rowwise_adagrad};
  set.optimizer.type = types[static_cast<int>(3 * uniform(0, 3))];
  set.global_batch = set.topology.ranks * static_cast<Index>(log_uniform(128, 4096, 0, 4));
  double bytes = 0, largest = 0;
  for (Index t = 0; t < count; ++t) {
    embedding::EmbeddingBagConfig table;
    table.name = "t" + std::to_string(t);
    table.feature_names = {table.name};
    table.num_embeddings = static_cast<Index>(log_uniform(10, 3e7, t + 1, 0));
    table.embedding_dim = 4 * (4 + static_cast<Index>(61 * uniform(t + 1, 1)));
    set.settings.tables[table.name].pooling_factor = std::floor(1 + 100 * uniform(t + 1, 2));
    if (kind.skewed) set.settings.tables[table.name].zipf = 1.5 * uniform(t + 1, 3);
    if (kind.popular)
      set.settings.tables[table.name].popular = first_blocks(table.num_embeddings, 1.5 * uniform(t + 1, 3));
    const double own = static_cast<double>(planning::table_bytes(table, set.optimizer, table.num_embeddings));
    bytes += own;
    largest = std::max(largest, own);
    set.tables.push_back(table);
  }
  if (k % 2 == 1) {
    const double share = bytes / set.topology.ranks;
    set.topology.memory = static_cast<Index>(share * log_uniform(1.3, 5, 0, 5) + largest / set.topology.ranks + 4e9);
  }
  return set;
}

}  // namespace random_tables
