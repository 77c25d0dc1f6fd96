// SPDX-License-Identifier: Apache-2.0
/// Named state <-> file. State is a set of logical float matrices; who holds which part of them is known only
/// to the ranks at hand, so that any partition reads what any other wrote.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/store/parted_file.hpp>
#include <tesserec/store/parted_writer.hpp>
#include <tesserec/store/slab_source.hpp>

namespace tesserec::store {

/// A rank's part of one logical matrix. A rank may hold several parts of one name, or none.
struct StateItem {
  std::string name;   ///< of the dataset, its groups in front: "GROUP/GROUP/NAME"
  Index rows = 0;     ///< of the logical matrix
  Index columns = 1;  ///< of the logical matrix; a vector has one column
  Slab slab;          ///< the part; first_column is a multiple of 4; columns = -1: from there to the last
  std::shared_ptr<SlabSource> source;
  bool owned = true;  ///< this rank writes it; of a replicated part exactly one rank says so
};

/// Record of one dataset.
struct StateRecord {
  Index rows = 0;
  Index columns = 0;
  std::uint64_t checksum = 0;  ///< table_checksum of the whole matrix
  bool operator==(const StateRecord&) const = default;
};
using StateRecords = std::map<std::string, StateRecord>;

/// Writes every item and the root's attributes to a new logical file whose bytes depend on the state alone. Owned parts
/// must tile each matrix; `part_bytes` as in PartsLayout. A number whose square is not finite is an Error (Diverged)
/// that names its place, before writing. Collective, like all below; an Error is the same on all ranks.
StateRecords write_state(const Exec& exec, const comm::Communicator& comm, const std::string& path,
                         const std::vector<StateItem>& items, const Attributes& attributes, Index part_bytes = 0);

/// Opens what write_state wrote; the ranks together compare all of it with its seals.
PartedFile open_state(const comm::Communicator& comm, const std::string& path);

/// Extent to which a file is read: it may hold more than that, or not.
enum class Extent { part, all };

/// Fills the items (owned or not), and compares the checksums of what came to be in memory with those in the file. An
/// Error names the dataset that is missing, of another shape, damaged, or, with Extent::all, that nobody wants.
void read_state(const Exec& exec, const comm::Communicator& comm, const PartedFile& file,
                const std::vector<StateItem>& items, Extent extent = Extent::part);

/// Returns names and shapes of all ranks' items, without checksums. Collective. Error when two disagree on a shape.
StateRecords state_shapes(const comm::Communicator& comm, const std::vector<StateItem>& items);

/// The attributes given to write_state. Not collective.
Attributes read_attributes(const PartedFile& file);
/// One of them, of `file`. Error when it is missing or of another type.
template <class T>
T attribute(const Attributes& attributes, const std::string& name, const std::string& file) {
  const auto found = attributes.find(name);
  if (found == attributes.end() || !std::holds_alternative<T>(found->second))
    fail(file, ": the attribute ", name, " is missing, or of another type; the file was not written for this purpose");
  return std::get<T>(found->second);
}

/// Lists what the file holds, by its own account. Not collective.
StateRecords list_state(const PartedFile& file);

/// Checksums of the owned parts, by name, without a file; combined_digest makes one string of them. `not_finite`, where
/// given, says where this rank's first number whose square is not finite stands; "" if there is none.
std::map<std::string, std::uint64_t> state_checksums(const Exec& exec, const comm::Communicator& comm,
                                                     const std::vector<StateItem>& items,
                                                     std::string* not_finite = nullptr);

}  // namespace tesserec::store
