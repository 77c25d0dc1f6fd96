// SPDX-License-Identifier: Apache-2.0
/// Named state in a file, written and read by all ranks. The file does not record which rank held which part of a
/// matrix, so that any partition reads the file of any other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::parallel_io {

/// Writes every item and the root's attributes to a new logical file whose bytes depend on the state alone. Owned parts
/// must tile each matrix; `part_bytes` is as in store::PartsLayout. Throws Diverged with the place of a number whose
/// square is not finite, before writing. Collective, like all functions below; an Error is the same on all ranks.
store::StateRecords write_state(const Exec& exec, const comm::Communicator& comm, const std::string& path,
                                const std::vector<store::StateItem>& items, const store::Attributes& attributes,
                                Index part_bytes = 0);

/// Opens a file of write_state(); the ranks together compare all of it with its seals. Throws Error if the ranks read
/// different files.
store::PartedFile open_state(const comm::Communicator& comm, const std::string& path);

/// Fills the items (owned or not), as store::read_state() does, of matrices that all ranks hold together.
void read_state(const Exec& exec, const comm::Communicator& comm, const store::PartedFile& file,
                const std::vector<store::StateItem>& items, store::Extent extent = store::Extent::part);

/// Returns names and shapes of all ranks' items, without checksums. Throws Error if one name has two shapes.
store::StateRecords state_shapes(const comm::Communicator& comm, const std::vector<store::StateItem>& items);

/// Adds the checksums of the owned parts of all ranks, by name, without a file; store::combined_digest() makes one text
/// of them. `not_finite` is as in store::checksums_of(), for this rank's items.
std::map<std::string, std::uint64_t> state_checksums(const Exec& exec, const comm::Communicator& comm,
                                                     const std::vector<store::StateItem>& items,
                                                     std::string* not_finite = nullptr);

}  // namespace tesserec::parallel_io
