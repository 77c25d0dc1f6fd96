// SPDX-License-Identifier: Apache-2.0
/// First pass over the raw files: rows, bad rows, tokens and moments.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kept_memory.hpp"
#include "text_ranges.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/run.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/transforms.hpp>

namespace tesserec::preprocess {

class ScratchFolder;

/// Result of the first pass, the same on every rank except for own() and `kept`.
struct Survey {
  std::vector<RawFile> files;
  std::vector<TextRange> ranges;  ///< ranges of the text, in order, which all ranks together read
  Range own_ranges;               ///< ranges that this rank reads in the second pass
  Targets targets = Targets::required;
  SplitSide side;                 ///< rows of the files that belong to the dataset
  std::vector<Index> all_values;  ///< values of each feature [F]
  DatasetReport report;           ///< report of all ranks, still without output
  /// Token counts: of hashes instead of tokens where ids are hashed into rows, none where they are hashed into 64 bits.
  /// Empty unless `learn`.
  std::vector<TokenRun> runs;
  std::vector<Moments> moments;  ///< moments of numbers to standardize, else 0 [K]; empty unless `learn`
  std::vector<Index> key_bytes;  ///< length of each key column's longest text, at least 1 [keys]
  KeptMemory kept{};             ///< kept rows of own() that are in memory

  /// Returns the ranges that this rank reads in the second pass; they follow one another.
  std::span<const TextRange> own() const {
    return std::span<const TextRange>(ranges).subspan(std::size_t(own_ranges.begin), std::size_t(own_ranges.size()));
  }
};

/// Rules of the first pass over a set of files.
struct SurveyRules {
  std::string name;    ///< name of the data set, for progress
  std::string prefix;  ///< beginning of the names of its scratch files
  BadRows bad_rows = BadRows::stop;
  bool learn = false;  ///< whether tokens are counted and numbers measured
  Targets targets = Targets::required;
  Index memory = 0;     ///< memory of this rank, bytes
  SplitSide side = {};  ///< rows of the files that belong to the dataset
};

/// Reads the files, except for what an earlier start left in the scratch folder. Throws the same Error on all ranks for
/// a bad row if the rules say stop. Collective.
Survey survey(const comm::Communicator& comm, std::vector<RawFile> files, const RowFormat& format,
              const ScratchFolder& scratch, const SurveyRules& rules);

}  // namespace tesserec::preprocess
