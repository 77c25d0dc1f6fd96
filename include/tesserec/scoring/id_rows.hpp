// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/store/mapped_file.hpp>

namespace tesserec::scoring {

/// Rows of a growing table by id, a hash table: a file of a model folder, which is mapped instead of read, or memory,
/// in which ids come and go. docs/formats.md has its bytes.
class IdRows {
 public:
  static constexpr Index none = -1;

  /// Maps the file of a table with `rows` rows. Throws Error if the file has another size than id_rows_bytes().
  IdRows(const std::string& path, Index rows);
  /// Begins without ids, in memory that grows up to `capacity` of them, or 2^32 - 2.
  explicit IdRows(Index capacity);

  /// Writes the row of each id, or `none`. Allocates nothing. Throws Error, naming the file, if it is damaged.
  void find(std::span<const Index> ids, Index* rows) const;

  /// Returns the row of an id. One that has none gets the row of an erased id, or the first that was never used. Throws
  /// Error if there are `capacity` ids.
  Index insert(Index id);
  /// Removes an id. Returns whether it had a row.
  bool erase(Index id);
  /// Removes all ids, and makes room for some.
  void clear(Index room);
  /// Takes the ids of another table in memory with the same capacity.
  void copy(const IdRows& other);
  /// Returns the number of ids.
  Index size() const { return std::ssize(ids_) - std::ssize(free_); }
  /// Returns the end of the rows that ids have or had since clear().
  Index rows_end() const { return std::ssize(ids_); }

 private:
  /// Moves the entries to more slots.
  void widen(Index slots);
  /// Follows the vectors, which may have moved.
  void look();

  std::optional<store::MappedFile> file_;
  std::string path_;
  std::vector<std::uint64_t> owned_;  // slots in memory
  std::vector<Index> ids_, free_;     // in memory: the id of each row, and the rows of erased ids
  std::span<const std::uint64_t> slots_;
  const Index* id_of_ = nullptr;  // [rows_]
  Index rows_ = 0;
};

/// Returns the bytes of the file of a table.
Index id_rows_bytes(Index rows);
/// Returns the slots that the file begins with: row i is that of ids[i]. Throws Error if an id stands there twice.
std::vector<std::uint64_t> id_row_slots(std::span<const Index> ids);

}  // namespace tesserec::scoring
