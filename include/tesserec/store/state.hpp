// SPDX-License-Identifier: Apache-2.0
/// Named state in a file, as one process reads it. State is a set of logical float matrices, each with a checksum;
/// parallel_io writes and reads it with all ranks of a job.
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

/// A process's part of one logical matrix. It may hold several parts of one name, or none.
struct StateItem {
  std::string name;   ///< of the dataset, its groups in front: "GROUP/GROUP/NAME"
  Index rows = 0;     ///< of the logical matrix
  Index columns = 1;  ///< of the logical matrix; a vector has one column
  Slab slab;          ///< the part; first_column is a multiple of 4; columns = -1: from there to the last
  std::shared_ptr<SlabSource> source;
  bool owned = true;  ///< this process writes it; of a replicated part exactly one process says so

  /// Returns the columns of the part.
  Index width() const { return slab.columns < 0 ? columns - slab.first_column : slab.columns; }
};

/// Record of one dataset.
struct StateRecord {
  Index rows = 0;
  Index columns = 0;
  std::uint64_t checksum = 0;  ///< table_checksum of the whole matrix
  bool operator==(const StateRecord&) const = default;
};
using StateRecords = std::map<std::string, StateRecord>;

/// The end of every message about a damaged checkpoint.
inline constexpr const char* another_checkpoint =
    "; remove the folder, or name another checkpoint with checkpoint.resume";

/// Extent to which a file is read: it may hold more than that, or not.
enum class Extent { part, all };

/// Fills the items, owned or not, which together are whole matrices, and compares the checksums of what came to be in
/// memory with those in the file. An Error names the dataset that is missing, of another shape, damaged, or, with
/// Extent::all, that nobody wants.
void read_state(const Exec& exec, const PartedFile& file, const std::vector<StateItem>& items,
                Extent extent = Extent::part);

/// Adds the shapes of the items to `shapes`, without checksums. Error when two disagree.
void add_shapes(const std::vector<StateItem>& items, StateRecords& shapes);
/// Adds one shape. Error when another of that name disagrees.
void add_shape(const std::string& name, const StateRecord& shape, StateRecords& shapes);

/// The steps of read_state(), for ranks that hold a matrix together: the checksums that the file has of these shapes
/// (Error as read_state); the items' numbers; the comparison with the sums of what all hold.
std::map<std::string, std::uint64_t> stored_checksums(const PartedFile& file, const StateRecords& shapes,
                                                      Extent extent);
void read_items(const Exec& exec, const PartedFile& file, const std::vector<StateItem>& items);
void require_checksums(const PartedFile& file, const std::map<std::string, std::uint64_t>& stored,
                       const std::map<std::string, std::uint64_t>& held);

/// Rows of an item where the host can read them: all of them as they lie, or copied piece by piece.
class HostRows {
 public:
  HostRows(const Exec& exec, const StateItem& item) : exec_(exec), item_(item) {}
  /// Returns the rows of a piece at most.
  Index most() const;
  /// Rows [first, first + rows) of the item, until the next call.
  const float* read(Index first, Index rows);

 private:
  static constexpr Index piece_bytes = Index{32} << 20;
  const Exec& exec_;
  const StateItem& item_;
  std::vector<float> staged_;
};

/// Returns the checksums of the owned items, by name, a matrix's parts added modulo 2^64. `not_finite`, where given,
/// says where the first number whose square is not finite stands; "" if there is none.
std::map<std::string, std::uint64_t> checksums_of(const Exec& exec, const std::vector<StateItem>& items,
                                                  std::string* not_finite = nullptr);

/// The attributes that the file was written with.
Attributes read_attributes(const PartedFile& file);
/// One of them, of `file`. Error when it is missing or of another type.
template <class T>
T attribute(const Attributes& attributes, const std::string& name, const std::string& file) {
  const auto found = attributes.find(name);
  if (found == attributes.end() || !std::holds_alternative<T>(found->second))
    fail(file, ": the attribute ", name, " is missing, or of another type; the file was not written for this purpose");
  return std::get<T>(found->second);
}

/// Lists what the file holds, by its own account.
StateRecords list_state(const PartedFile& file);

}  // namespace tesserec::store
