// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/store/drafts.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/store/parts.hpp>

namespace tesserec::store {

using Attributes = std::map<std::string, Attribute>;

/// Writes one logical HDF5 file that all ranks hold a part of. Each file is written by one rank, which the others send
/// what they hold; the bytes depend on the content alone. Every file is proven on the disk before anything takes its
/// final name. All functions are collective, and an Error is the same on all ranks.
class PartedWriter {
 public:
  /// X.h5 will stand complete or not at all; an older one stays until publish(). `owners` of the parts; empty: in turn.
  /// Waits at most `lock_wait` seconds for another job that writes X.h5. `comm` outlives this.
  PartedWriter(const comm::Communicator& comm, std::string path, PartsLayout layout, std::vector<int> owners = {},
               double lock_wait = 0);
  /// What was not published is removed.
  ~PartedWriter();
  PartedWriter(const PartedWriter&) = delete;
  PartedWriter& operator=(const PartedWriter&) = delete;

  const PartsLayout& layout() const { return layout_; }
  int owner(int part) const { return owners_[part]; }

  /// What this rank holds of a dataset: row-major, elements of the dataset's type.
  struct SlabData {
    std::size_t dataset = 0;
    Slab slab;
    const void* data = nullptr;
    Index ld = 0;  ///< elements from one row to the next; 0: as many as the slab has columns
  };
  /// Every element of every dataset is written once, by any rank. A part whose last element came is written to the disk
  /// while others go on.
  void write(std::span<const SlabData> slabs);

  /// Everything is on the disk, under other names. Attributes of the root, and of datasets by name.
  void prepare(const Attributes& root, const std::map<std::string, Attributes>& of_datasets = {});
  /// The names change. Then X.h5 is the new one, and the parts of an older one go.
  void publish();

 private:
  struct Image {
    File file;
    Index missing = 0;  // bytes that have not come yet
  };
  struct Flush {
    File file;
    Index bytes = 0;
    std::future<void> done;  // last: it ends before what it writes goes
  };
  struct PartSeal {
    Index part, bytes;
    std::uint64_t checksum;
  };
  struct Header {  // of rows of a part on their way
    Index part, dataset, first_row, rows, first_column, columns;
  };

  bool single() const { return layout_.parts() == 1; }
  bool first() const { return comm_.rank() == 0; }
  std::string draft() const { return path_ + ".tmp"; }
  std::string draft_folder() const { return stem_of(path_) + ".parts.tmp"; }
  struct Parcels;
  void cut(std::span<const SlabData> slabs, Parcels& parcels) const;
  void put_mine(const Parcels& parcels);
  void put_received(std::span<const std::byte> received);
  Index bytes_of(const Header& header) const;
  Image& image(int part);
  void put(const Header& header, const void* data);
  void flush(int part);
  void await_flush();
  void await_all();
  void require_complete() const;
  void write_index(const Attributes& root, const std::map<std::string, Attributes>& of_datasets) const;
  bool is_there_already() const;
  void remove_other_sets() const;

  const comm::Communicator& comm_;
  std::string path_;
  PartsLayout layout_;
  std::vector<int> owners_;
  FileLock lock_;
  std::deque<OpenDraft> drafts_;
  std::map<int, Image> images_;     // of this rank's parts that are not whole yet
  std::deque<Flush> flushes_;       // on their way to the disk
  std::vector<PartSeal> sealed_;    // parts that this rank has written
  std::vector<std::string> seals_;  // from prepare() on: "BYTES CHECKSUM" of all parts
  std::string folder_;              // of the parts, at the end
  bool published_ = false;
};

}  // namespace tesserec::store
