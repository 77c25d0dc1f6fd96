// SPDX-License-Identifier: Apache-2.0
/// Named state in a file, as one process reads it. State is a set of logical float matrices, each with a checksum. The
/// ranks of a job write and read it together in parallel_io.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/store/parted_file.hpp>
#include <tesserec/store/slab_source.hpp>

namespace tesserec::store {

using Attributes = std::map<std::string, Attribute>;

/// A process's part of one logical matrix. A process may hold several parts of one name, or none.
struct StateItem {
  std::string name;   ///< name of the dataset, its groups in front: "GROUP/GROUP/NAME"
  Index rows = 0;     ///< rows of the logical matrix
  Index columns = 1;  ///< columns of the logical matrix; a vector has one column
  Slab slab;          ///< place of the part; first_column is a multiple of 4, columns = -1 stands for all that follow
  std::shared_ptr<SlabSource> source;
  bool owned = true;  ///< true if this process writes the part; exactly one process owns a replicated part

  /// Returns the columns of the part.
  Index width() const { return slab.columns < 0 ? columns - slab.first_column : slab.columns; }
};

/// Shape and checksum of one dataset.
struct StateRecord {
  Index rows = 0;
  Index columns = 0;
  std::uint64_t checksum = 0;  ///< table_checksum of the whole matrix
  bool operator==(const StateRecord&) const = default;
};
using StateRecords = std::map<std::string, StateRecord>;

/// Advice at the end of every message about a damaged checkpoint.
inline constexpr const char* another_checkpoint =
    "; remove the folder, or name another checkpoint with checkpoint.resume";

/// Extent of the items within a file: `part` allows the file more datasets, `all` does not.
enum class Extent { part, all };

/// Fills the items, owned or not. Compares the checksums of the owned items in memory, which together are whole
/// matrices, with the checksums in the file. Where a source rounds, the numbers on their way to it take their place.
/// Throws Error that names a dataset if it is missing, of another shape or damaged, or, with Extent::all, if no item
/// wants it.
void read_state(const Exec& exec, const PartedFile& file, const std::vector<StateItem>& items,
                Extent extent = Extent::part);

/// Adds the shapes of the items to `shapes`, without checksums. Throws Error if one name has two shapes.
void add_shapes(const std::vector<StateItem>& items, StateRecords& shapes);
/// Adds one shape, without its checksum. Throws Error if `shapes` has another shape of this name.
void add_shape(const std::string& name, const StateRecord& shape, StateRecords& shapes);

/// Returns the checksums that the file states for datasets of these shapes. Throws Error as read_state() does. This and
/// the next two functions are the steps of read_state(), for ranks that hold a matrix together.
std::map<std::string, std::uint64_t> stored_checksums(const PartedFile& file, const StateRecords& shapes,
                                                      Extent extent);
/// Reads the items' numbers, without a comparison. Returns the checksums of the owned items whose sources round, of the
/// numbers in the file.
std::map<std::string, std::uint64_t> read_items(const Exec& exec, const PartedFile& file,
                                                const std::vector<StateItem>& items);
/// Removes the items whose sources round, and returns the rest.
std::vector<StateItem> without_rounded(std::vector<StateItem> items);
/// Throws Error if a checksum in `held`, the sum over all ranks, differs from the one in `stored`.
void require_checksums(const PartedFile& file, const std::map<std::string, std::uint64_t>& stored,
                       const std::map<std::string, std::uint64_t>& held);

/// Rows of an item in memory that the host can read: all rows in place, or a copy of one piece at a time.
class HostRows {
 public:
  HostRows(const Exec& exec, const StateItem& item) : exec_(exec), item_(item) {}
  /// Returns the largest number of rows for read().
  Index max_rows() const;
  /// Returns rows [first, first + rows) of the item, [rows, ld], valid until the next call.
  const float* read(Index first, Index rows);

 private:
  static constexpr Index piece_bytes = Index{32} << 20;
  const Exec& exec_;
  const StateItem& item_;
  std::vector<float> staged_;
};

/// Returns the checksums of the owned items by name, the parts of a matrix added modulo 2^64. Sets `not_finite`, unless
/// null, to the place of the first number whose square is not finite; an empty text stays if there is none.
std::map<std::string, std::uint64_t> checksums_of(const Exec& exec, const std::vector<StateItem>& items,
                                                  std::string* not_finite = nullptr);

/// Returns the attributes that the file was written with.
Attributes read_attributes(const PartedFile& file);
/// Returns one of the attributes. Throws Error with `file` if it is missing or of another type.
template <class T>
T attribute(const Attributes& attributes, const std::string& name, const std::string& file) {
  const auto found = attributes.find(name);
  if (found == attributes.end() || !std::holds_alternative<T>(found->second))
    fail(file, ": the attribute ", name, " is missing, or of another type; the file was not written for this purpose");
  return std::get<T>(found->second);
}

/// Lists the datasets of a file with the checksums that it states. Throws Error if one is not a matrix.
StateRecords list_state(const PartedFile& file);

}  // namespace tesserec::store
