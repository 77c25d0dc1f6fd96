// SPDX-License-Identifier: Apache-2.0
/// Borders of the columns with quantiles, from the values of the training files.
#pragma once

#include <string>
#include <vector>

#include "raw_files.hpp"
#include "split_records.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/row_format.hpp>

namespace tesserec::preprocess {

class ScratchFolder;

/// Input of find_borders().
struct BorderRules {
  const std::vector<RawFile>& files;
  const std::string& vocabulary;            ///< dataset whose borders are used instead; empty = they are measured
  const std::vector<std::string>& missing;  ///< texts that mean a missing value
  SplitSide side = {};                      ///< rows of the files that belong to the dataset
  Index memory = 0;                         ///< memory of this rank, bytes
  BadRows bad_rows = BadRows::stop;
};

/// Sets the borders of all columns with quantiles: those of the vocabulary, those that an earlier start sealed in the
/// scratch folder, or those that a reading of the files finds, the same for any ranks and memory. Leaves them out if
/// the files have no good rows or a bad row stops the reading; the survey then names the fault. Throws Error if a
/// column has no numbers, or the vocabulary no borders of it. Collective.
void find_borders(const comm::Communicator& comm, RowFormat& format, const ScratchFolder& scratch,
                  const BorderRules& rules);

}  // namespace tesserec::preprocess
