// SPDX-License-Identifier: Apache-2.0
/// The first reading of the raw files: rows, bad rows, tokens, means.
#pragma once

#include <cstdint>
#include <vector>

#include "row_stream.hpp"
#include "token_map.hpp"
#include "transforms.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/preprocess.hpp>

namespace tesserec::data {

/// The same on every rank, except where it says "this rank".
struct Survey {
  std::vector<RawFile> files;
  std::vector<FileRange> ranges;     ///< this rank's
  std::vector<std::uint64_t> texts;  ///< [ranges] digests of what was read of them
  Targets targets = Targets::required;
  Index rows = 0;                   ///< good rows of this rank
  Index first_row = 0;              ///< of this rank, counted over all
  DatasetReport report;             ///< all ranks; no output yet
  std::vector<TokenCounts> tokens;  ///< [F] this rank's, when asked for
  std::vector<Moments> moments;     ///< [K] when asked for; only for numbers to standardise
  std::vector<Index> key_bytes;     ///< [keys] of the longest one, at least 1
};

/// Reads the files. Collective. `learn`: counts tokens and measures numbers. `bad_rows` says whether one stops it.
Survey survey(const comm::Communicator& comm, std::vector<RawFile> files, const RowFormat& format, BadRows bad_rows,
              bool learn, Targets targets = Targets::required);

}  // namespace tesserec::data
