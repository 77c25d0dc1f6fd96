// SPDX-License-Identifier: Apache-2.0
/// Named state <-> file, by all ranks. Who holds which part of a matrix is known only to the ranks at hand, so that any
/// partition reads what any other wrote.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::parallel_io {

/// Writes every item and the root's attributes to a new logical file whose bytes depend on the state alone. Owned parts
/// must tile each matrix; `part_bytes` as in PartsLayout. A number whose square is not finite is an Error (Diverged)
/// that names its place, before writing. Collective, like all below; an Error is the same on all ranks.
store::StateRecords write_state(const Exec& exec, const comm::Communicator& comm, const std::string& path,
                                const std::vector<store::StateItem>& items, const store::Attributes& attributes,
                                Index part_bytes = 0);

/// Opens what write_state wrote; the ranks together compare all of it with its seals.
store::PartedFile open_state(const comm::Communicator& comm, const std::string& path);

/// Fills the items (owned or not), as store::read_state does, of matrices that all ranks hold together.
void read_state(const Exec& exec, const comm::Communicator& comm, const store::PartedFile& file,
                const std::vector<store::StateItem>& items, store::Extent extent = store::Extent::part);

/// Returns names and shapes of all ranks' items, without checksums. Error when two disagree on a shape.
store::StateRecords state_shapes(const comm::Communicator& comm, const std::vector<store::StateItem>& items);

/// Checksums of the owned parts of all ranks, by name, without a file; combined_digest makes one string of them.
/// `not_finite` as in store::checksums_of, of this rank.
std::map<std::string, std::uint64_t> state_checksums(const Exec& exec, const comm::Communicator& comm,
                                                     const std::vector<store::StateItem>& items,
                                                     std::string* not_finite = nullptr);

}  // namespace tesserec::parallel_io
