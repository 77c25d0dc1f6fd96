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

  /// Returns the names of the columns that it brings.
  std::vector<std::string> brought() const;
};

/// Split of the log that makes evaluation rows.
struct ProposedSplit {
  SplitBy by = SplitBy::none;
  std::string time;       ///< column of the times, by which rows are split
  double fraction = 0.1;  ///< share of the rows to evaluate
  std::string reason;     ///< evidence, for a person
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
  ProposedSplit split;
  bool criteo = false;

  const HeadSample& log() const { return heads.front(); }
  /// Returns whether the deck makes evaluation rows.
  bool evaluates() const { return !evaluate.empty() || split.by != SplitBy::none; }
  /// Returns whether a head is that of a side table or of a part of one.
  bool is_side(const HeadSample& head) const;
  /// Returns the log's time that is stored with the rows, or null.
  const Column* stored_time() const;
  /// Returns about how many rows the training files have.
  Index rows() const;
};

/// Returns the facts about the columns of a file's first rows.
std::vector<ColumnFacts> head_facts(const HeadSample& head);

/// Returns whether a deck can have the name of a column.
bool is_nameable(const std::string& name);

/// Makes a file a side table by a column of the log that has another value in each of its rows. `before`: those of
/// other files. Throws Error, naming the file, if there is none.
ProposedJoin join_of(const HeadSample& log, const HeadSample& side, const std::vector<ProposedJoin>& before);

/// Returns whether a file with a header has most columns of the log, as a part of it with other columns has.
bool resembles(const HeadSample& head, const HeadSample& log);

/// Returns the columns in which a file that resembles the log differs from it, behind a colon; else nothing.
std::string differences(const HeadSample& head, const HeadSample& log);

/// Takes a file as a further part of a side table with the same columns in the same folder: the table's file becomes a
/// pattern for both. Returns false if there is none.
bool is_part(const HeadSample& head, std::vector<ProposedJoin>& joins);

/// Throws Error if the pattern of a side table's parts names other files than these.
void check_parts(const ProposedJoin& join);

/// Gives the log's head the quotes and comments that any file needs, since a deck has one rule for all. Throws Error,
/// naming the file, if a file's rows read otherwise by them or have another delimiter, or if a side table has a bad
/// row.
void share_rules(Proposal& proposal);

/// Returns the numbers of the log's times, first those that divide its rows, and of these the one that reaches the
/// latest moment: what happened, rather than a birthday or a date of release. Times behind the file's own, such as the
/// end of 2099, come last.
std::vector<std::size_t> times_by_last(const Proposal& proposal);

/// Chooses the split that makes evaluation rows, if no file has them and the rows suffice.
void choose_split(Proposal& proposal);

/// Returns whether a file has the columns of the log but for `labels`, so that these are to be predicted.
bool lacks_labels(const HeadSample& head, const HeadSample& log, const std::vector<std::string>& labels);

/// Returns the label of a column of the log, and the further labels: columns that are 0 or 1 in all files of the log
/// and missing in all files to predict. Empty if there is no label (-1).
std::vector<std::string> proposed_labels(const Proposal& proposal, Index label_column);

/// Leaves out weekday and day of the log's times if all rows are of one day, since they are then constant.
void choose_parts(Proposal& proposal);

/// Stores at most one time of the log: of those that no row of the files' heads lacks the first of times_by_last().
void store_one_time(Proposal& proposal);

/// Returns the deck as text.
std::string deck_text(const Proposal& proposal, const std::vector<std::string>& paths);

}  // namespace tesserec::preprocess
