// SPDX-License-Identifier: Apache-2.0
/// Division of the rows of raw files into training and evaluation rows, by [preprocess.split].
#pragma once

#include <vector>

#include "row_stream.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/report.hpp>

namespace tesserec::preprocess {

/// Division of raw files.
struct RowSplit {
  SplitRecords records;  ///< the same on every rank
  SplitReport report;
};

/// Reads the files, whose good rows it divides. Bad rows are training rows, so that the reading of these reports them.
/// Throws Error, naming the key, for a column that does not fit or a part that gets no rows, and for a file without
/// rows. Collective.
RowSplit split_rows(const comm::Communicator& comm, const std::vector<RawFile>& files, const RowFormat& format,
                    const Settings& settings);

}  // namespace tesserec::preprocess
