// SPDX-License-Identifier: Apache-2.0
/// Counts of the ranges of raw files, summed by file, and the fault that stopped a reading.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "text_ranges.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/report.hpp>

namespace tesserec::preprocess {

/// Returns "file:line: reason" of the row or header that stopped this rank's stream, or "". `own`: ranges of the
/// stream. `done`: ranges that were read before. Collective: the lines before the row may be those of other ranks.
std::string stop_reason(const comm::Communicator& comm, const RowStream& rows, std::span<const RawFile> files,
                        std::span<const FileRange> own, std::span<const ReadRanges> done = {});

/// Returns the ranges of all ranks, in order, with their counts. `own`, `counts`: ranges and counts of this rank.
/// Collective.
std::vector<TextRange> gathered_ranges(const comm::Communicator& comm, std::span<const FileRange> own,
                                       std::span<const RangeCount> counts);

/// Returns the rows and the first bad rows of each file. `ranges`: all ranges of the files, in order.
std::vector<FileReport> file_reports(std::span<const RawFile> files, std::span<const TextRange> ranges,
                                     std::size_t bad_rows_kept);

/// Throws Error for a file without rows, good or bad.
[[noreturn]] void fail_without_rows(const std::string& path);
/// Throws Error if the files have no good row.
void require_good_rows(std::span<const FileReport> files);

}  // namespace tesserec::preprocess
