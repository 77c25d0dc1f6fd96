// SPDX-License-Identifier: Apache-2.0
/// What training made of each table, and what an evaluation's ids say of each feature.
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/batch.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// A table's rows, or, of a large one, 64 rows in each of so many equal runs: those "looked at".
struct TableFigures {
  std::string name;
  std::vector<std::string> features;
  Index rows = 0, columns = 0;
  Index looked_at = 0;    ///< rows
  Index trained = 0;      ///< of these, that have left their start values: their first four numbers differ
  double row_norm = 0;    ///< root of the mean square of the lengths of the rows looked at
  double start_norm = 0;  ///< the same as expected of start values
  double largest = 0;     ///< magnitude of their numbers at most
};

/// The figures of all tables, in their order; the same bits on any number of ranks and under any plan. Collective.
std::vector<TableFigures> table_figures(const Session& session);

/// Counts of a feature's ids in a source.
struct FeatureIds {
  std::string name;
  Index samples = 0, empty = 0;  ///< of these, without an id
  Index ids = 0, unknown = 0;    ///< of these, id 0
};

/// Adds a batch of this rank's; `counts` is empty before the first.
void count_ids(const data::Batch& batch, std::vector<FeatureIds>& counts);

/// The counts of all ranks. Collective.
void sum_over_ranks(const comm::Communicator& comm, std::vector<FeatureIds>& counts);

}  // namespace tesserec::train
