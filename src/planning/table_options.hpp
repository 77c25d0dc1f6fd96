// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "problem.hpp"

namespace tesserec::planning {

struct OptionShape {
  Index min_rows = 1;  ///< of a shard, where the deck lets the planner leave the table whole
  bool few = true;     ///< of tables and ranks: all numbers of pieces are tried
};

struct TableOptions {
  std::vector<Option> options;
  std::string advice;      ///< for a table of which no option fits
  Index free_columns = 1;  ///< most pieces of columns whose rows are cut too
};

/// Makes the options of a table by one kernel. Errors name the table and the contradiction.
TableOptions table_options(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& demand,
                           ComputeKernel kernel, const CostModel& model, const OptionShape& shape);

}  // namespace tesserec::planning
