// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/embedding/row_store.hpp>
#include <tesserec/train/job.hpp>

namespace tesserec::train {

/// Returns the maker of the stores of a job's tables: rows that appear while training for growing tables, rows in a
/// file for kernel disk, in memory for all others.
embedding::MakeRowStore row_stores(const Job& job);

}  // namespace tesserec::train
