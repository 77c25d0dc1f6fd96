// SPDX-License-Identifier: Apache-2.0
/// Figures of each table after training, and counts of each feature's ids in an evaluation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/data/batch.hpp>
#include <tesserec/tiers/growing_rows.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Figures of one table's rows. A large table is sampled: 64 rows in each of many evenly spaced runs.
struct TableFigures {
  std::string name;
  std::vector<std::string> features;
  Index rows = 0, columns = 0;
  Index sampled = 0;      ///< rows sampled
  Index trained = 0;      ///< sampled rows that differ from their start values in the first four numbers
  double row_norm = 0;    ///< root mean square of the sampled rows' L2 norms
  double start_norm = 0;  ///< expectation of row_norm for start values
  double largest = 0;     ///< largest magnitude of a number in the sampled rows
  embedding::CacheUse cache =
      {};                   ///< cache of kernel disk or host_cached, sums over all ranks; no slots = the table has none
  double cached_share = 0;  ///< share of one copy of the table that fits into its cache
  std::optional<double> frequent_share{};  ///< share of the ids that the most frequent rows have, as many as the
                                           ///< cache holds; unset = their frequencies are unknown
  tiers::Growth growth = {};               ///< of a growing table in this start; no capacity = the table does not grow
};

/// Returns the figures of all tables, in their order. The bits are the same for any number of ranks and any plan.
/// Collective.
std::vector<TableFigures> table_figures(const Session& session);

/// Returns the use of the caches by table so far, sums over all ranks, without CacheUse::io. Collective.
std::vector<embedding::CacheUse> cache_uses(const Session& session);

/// Returns how tables have grown so far in this start, sums over all shards, without Growth::blocks. Collective.
std::vector<tiers::Growth> growths(const Session& session);

/// Counts of a feature's ids in a source.
struct FeatureIds {
  std::string name;
  Index samples = 0, empty = 0;  ///< samples, and those of them without an id
  Index ids = 0, unknown = 0;    ///< ids, and those of them that are id 0
};

/// Adds this rank's batch to `counts`, which is empty before the first batch.
void count_ids(const data::Batch& batch, std::vector<FeatureIds>& counts);

/// Sums the counts over all ranks. Collective.
void sum_over_ranks(const comm::Communicator& comm, std::vector<FeatureIds>& counts);

}  // namespace tesserec::train
