// SPDX-License-Identifier: Apache-2.0
/// Guesses about raw files, for a deck that is proposed.
#pragma once

#include <string>
#include <vector>

#include "column_facts.hpp"
#include "head_sample.hpp"

namespace tesserec::preprocess {

/// Side table and how it is joined.
struct ProposedJoin {
  const HeadSample* head;
  std::string file;  ///< path, or a pattern for the parts of the table
  std::vector<std::string> on;
  std::vector<ColumnGuess> columns;
  std::vector<std::string> parts = {};  ///< parts of the table but the first
};

/// Guesses about raw files.
struct Proposal {
  std::vector<HeadSample> heads;  ///< heads of all files, that of the log first
  std::vector<std::string> train, evaluate, predict;
  std::vector<ColumnFacts> facts;    ///< facts about the log's columns
  std::vector<ColumnGuess> columns;  ///< guesses of the log's columns
  std::vector<std::string> labels;   ///< names of several labels, the first one that of a single label; else empty
  std::vector<std::string> unnamed;  ///< columns of the log whose names a deck cannot have
  std::vector<ProposedJoin> joins;
  bool criteo = false;

  const HeadSample& log() const { return heads.front(); }
  /// Returns the log's time that is stored with the rows, or null.
  const Column* stored_time() const;
  /// Returns about how many rows the training files have.
  Index rows() const;
};

/// Returns whether a file has the columns of the log but for `labels`, so that these are to be predicted.
bool lacks_labels(const HeadSample& head, const HeadSample& log, const std::vector<std::string>& labels);

/// Returns the label of a column of the log, and the further labels: columns that are 0 or 1 in all files of the log
/// and missing in all files to predict. Empty if there is no label (-1).
std::vector<std::string> proposed_labels(const Proposal& proposal, Index label_column);

/// Stores at most one time of the log: the first one that no row of the files' heads lacks.
void store_one_time(Proposal& proposal);

/// Returns the deck as text.
std::string deck_text(const Proposal& proposal, const std::vector<std::string>& paths);

}  // namespace tesserec::preprocess
