// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/scoring/model_delta.hpp>
#include <tesserec/scoring/served_model.hpp>
#include <tesserec/store/checkpoint.hpp>
#include <tesserec/store/word_rows.hpp>

namespace tesserec::scoring {

/// Rows of a table in memory, which checkpoints and deltas replace.
class MemoryTable {
 public:
  /// Allocates the rows of a table, whose rows() is not read.
  MemoryTable(const Exec& exec, const ServedTable& table);

  /// Returns the table with the rows here.
  const ServedTable& table() const { return table_; }
  /// Adds the table's matrices in a checkpoint to the items to read. Throws Error if a growing table has more rows
  /// there.
  void add_items(const store::OpenCheckpoint& checkpoint, std::vector<store::StateItem>& items);
  /// Gives the ids that were read their rows.
  void end_read(const std::string& file);
  /// Removes the ids that a delta says have left, and replaces the rows that it lists. Throws Error, naming the file,
  /// if it does not fit the table, or a number does not fit the format.
  void apply(const ModelDelta::NewRows& moved, const std::string& file);
  /// Takes the rows of another table of the same format.
  void copy(const MemoryTable& other);

 private:
  /// Returns the row of an id, which gets one. Throws Error, naming the file, if the table is full.
  Index insert(Index id, const std::string& file);

  ServedTable table_;
  Vector<std::byte> rows_;
  std::unique_ptr<IdRows> ids_;             // of a growing table
  std::shared_ptr<store::WordRows> words_;  // ids that are being read
};

/// Reads the numbers of rows, or ids, from words.
std::vector<Index> whole_numbers(const store::WordRows& words);

}  // namespace tesserec::scoring
