// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/store/parts.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::parallel_io {

class PartImages;

/// Writes one logical HDF5 file that all ranks hold a part of. Each file is written by one rank, which the others send
/// what they hold; the bytes depend on the content alone. Every file is proven on the disk before anything takes its
/// final name. All functions are collective, and an Error is the same on all ranks.
class PartedWriter {
 public:
  /// X.h5 will stand complete or not at all; an older one stays until publish(). `owners` of the parts; empty: in turn.
  /// Waits at most `lock_wait` seconds for another job that writes X.h5. `comm` outlives this.
  PartedWriter(const comm::Communicator& comm, std::string path, store::PartsLayout layout,
               std::vector<int> owners = {}, double lock_wait = 0);
  /// Removes what was not published.
  ~PartedWriter();
  PartedWriter(const PartedWriter&) = delete;
  PartedWriter& operator=(const PartedWriter&) = delete;

  const store::PartsLayout& layout() const { return layout_; }
  int owner(int part) const { return owners_[part]; }

  /// This rank's piece of a dataset: row-major, elements of the dataset's type.
  struct SlabData {
    std::size_t dataset = 0;
    store::Slab slab;
    const void* data = nullptr;
    Index ld = 0;  ///< elements from one row to the next; 0: as many as the slab has columns
  };
  /// Writes elements, each once, by any rank. A complete part goes to the disk while others go on.
  void write(std::span<const SlabData> slabs);

  /// Everything is on the disk, under other names. store::Attributes of the root, and of datasets by name.
  void prepare(const store::Attributes& root, const std::map<std::string, store::Attributes>& of_datasets = {});
  /// The names change. Then X.h5 is the new one, and the parts of an older one go.
  void publish();

 private:
  bool single() const { return layout_.parts() == 1; }
  bool first() const { return comm_.rank() == 0; }
  void write_index(const store::Attributes& root, const std::map<std::string, store::Attributes>& of_datasets) const;
  bool is_there_already() const;
  void remove_other_sets() const;

  const comm::Communicator& comm_;
  std::string path_;
  store::PartsLayout layout_;
  std::vector<int> owners_;
  store::FileLock lock_;
  std::deque<store::OpenDraft> drafts_;
  std::unique_ptr<PartImages> images_;  // that this rank writes
  std::vector<std::string> seals_;      // from prepare() on: "BYTES CHECKSUM" of all parts
  std::string folder_;                  // of the parts, at the end
  bool published_ = false;
};

}  // namespace tesserec::parallel_io
