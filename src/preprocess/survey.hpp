// SPDX-License-Identifier: Apache-2.0
/// First pass over the raw files: rows, bad rows, tokens and moments.
#pragma once

#include <cstdint>
#include <vector>

#include "row_stream.hpp"
#include "token_map.hpp"
#include "transforms.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/run.hpp>

namespace tesserec::preprocess {

/// Result of the first pass, the same on every rank except for the members of "this rank".
struct Survey {
  std::vector<RawFile> files;
  std::vector<FileRange> ranges;     ///< ranges of this rank
  std::vector<std::uint64_t> texts;  ///< digests of the text of this rank's ranges [ranges]
  Targets targets = Targets::required;
  Index rows = 0;                   ///< good rows of this rank
  Index first_row = 0;              ///< number of this rank's first row among those of all ranks
  std::vector<Index> values;        ///< values in this rank's rows [F]
  std::vector<Index> first_value;   ///< number of this rank's first value among those of all ranks [F]
  std::vector<Index> all_values;    ///< values of all ranks [F]
  DatasetReport report;             ///< report of all ranks, still without output
  std::vector<TokenCounts> tokens;  ///< token counts of this rank [F], of hashes if they are hashed into rows and none
                                    ///< if into 64 bits; empty unless `learn`
  std::vector<Moments> moments;     ///< moments of numbers to standardize, else 0 [K]; empty unless `learn`
  std::vector<Index> key_bytes;     ///< length of each key column's longest text, at least 1 [keys]
};

/// Reads this rank's ranges of the files. Counts tokens and measures numbers if `learn`. Throws the same Error on all
/// ranks for a bad row if `bad_rows` says stop. Collective.
Survey survey(const comm::Communicator& comm, std::vector<RawFile> files, const RowFormat& format, BadRows bad_rows,
              bool learn, Targets targets = Targets::required);

}  // namespace tesserec::preprocess
