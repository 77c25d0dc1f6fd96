// SPDX-License-Identifier: Apache-2.0
/// Named state in a file, written and read by all ranks. The file does not record which rank held which part of a
/// matrix, so that any partition reads the file of any other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::parallel_io {

class PartedWriter;

/// Writes every item and the root's attributes to a new logical file whose bytes depend on the state alone. Owned parts
/// must tile each matrix; `part_bytes` is as in store::PartsLayout. Throws Diverged with the place of a number whose
/// square is not finite, before writing. Collective, like all functions below; an Error is the same on all ranks.
store::StateRecords write_state(const Exec& exec, const comm::Communicator& comm, const std::string& path,
                                const std::vector<store::StateItem>& items, const store::Attributes& attributes,
                                Index part_bytes = 0);

/// Returns the most bytes of memory that a rank takes while a state of so many bytes is written (estimate): parts that
/// wait for the disk, and rows that travel to their writers.
double bytes_of_write(double state_bytes, Index part_bytes, int ranks);

/// A write_state() whose files go to the disk while the caller goes on. Without finish() nothing stays.
class StateWrite {
 public:
  /// Copies the items, which may change afterwards. Blocks longer if they have more than 256 MiB a rank.
  StateWrite(const Exec& exec, const comm::Communicator& comm, const std::string& path,
             const std::vector<store::StateItem>& items, const store::Attributes& attributes, Index part_bytes = 0);
  ~StateWrite();

  const store::StateRecords& records() const { return records_; }
  /// Returns whether this rank's files are on the disk. Does not block or communicate.
  bool on_disk() const;
  /// Waits until all files are proven on the disk, and gives them their names. Throws Error if one is not.
  store::StateRecords finish();

 private:
  std::unique_ptr<PartedWriter> writer_;
  store::StateRecords records_;
};

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
