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
struct PartSeal;

/// Writer of one logical HDF5 file whose rows lie on all ranks. One rank writes each file, and the others send it their
/// rows. The bytes depend on the content alone. Every file is proven on the disk before any file takes its final name.
/// All functions are collective, and an Error is the same on all ranks.
class PartedWriter {
 public:
  /// Prepares X.h5, which will stand complete or not at all; an older X.h5 stays until publish(). `owners` names the
  /// rank that writes each part; empty deals the parts out in turn. Waits at most `lock_wait` seconds for another job
  /// that writes X.h5. `comm` must outlive this object.
  /// `resume_key`, unless it is empty, names the content: parts that an earlier writer with the same key left are taken
  /// as they are, and those of this one stay for a later writer until remove_drafts().
  /// `memory`: most bytes of complete parts, if there are several, that wait for the disk in the memory of a rank; 0:
  /// 256 MiB.
  PartedWriter(const comm::Communicator& comm, std::string path, store::PartsLayout layout,
               std::vector<int> owners = {}, double lock_wait = 0, std::string resume_key = {}, Index memory = 0);
  /// Removes what was not published, except for parts with a resume key.
  ~PartedWriter();
  /// Removes the parts that writers of X.h5 left, on the calling rank.
  static void remove_drafts(const std::string& path);
  PartedWriter(const PartedWriter&) = delete;
  PartedWriter& operator=(const PartedWriter&) = delete;

  const store::PartsLayout& layout() const { return layout_; }
  int owner(int part) const { return owners_[part]; }
  /// Returns whether an earlier writer left the part; rows of it need not be given, and are ignored.
  bool has(int part) const { return found_[part]; }

  /// This rank's block of a dataset: row-major, elements of the dataset's type.
  struct SlabData {
    std::size_t dataset = 0;
    store::Slab slab;
    const void* data = nullptr;
    Index ld = 0;  ///< elements from one row to the next; 0: as many as the slab has columns
  };
  /// Sends this rank's slabs to the owners of their parts. One rank gives each element, once. A part that is complete
  /// is written to the disk while others are filled.
  void write(std::span<const SlabData> slabs);

  /// Ends the writes: takes the attributes of the root, and of datasets by name. The files go to the disk in the
  /// background. Throws Error if an element is missing.
  void end(const store::Attributes& root, const std::map<std::string, store::Attributes>& of_datasets = {});
  /// Returns whether this rank's files are on the disk, so that prepare() waits for other ranks alone. Does not block
  /// or communicate.
  bool on_disk() const;
  /// Waits until all files are proven on the disk under other names. Throws Error if one is not.
  void prepare();
  /// Renames the files: X.h5 is the new file from then on. Removes the parts of an older one.
  void publish();

 private:
  bool single() const { return layout_.parts() == 1; }
  bool first() const { return comm_.rank() == 0; }
  void write_index() const;
  bool has_intact_parts() const;
  void open_folder() const;
  void find_parts();
  void remove_other_sets() const;

  const comm::Communicator& comm_;
  std::string path_;
  store::PartsLayout layout_;
  std::vector<int> owners_;
  store::FileLock lock_;
  std::deque<store::OpenDraft> drafts_;
  std::unique_ptr<PartImages> images_;  // parts that this rank writes
  struct {
    store::Attributes root;
    std::map<std::string, store::Attributes> of_datasets;
  } attributes_;  // set by end()
  std::string resume_key_;
  std::vector<PartSeal> found_seals_;  // parts that an earlier writer left, of all ranks
  std::vector<char> found_;            // whether each part was left by an earlier writer
  std::vector<std::string> seals_;     // "BYTES CHECKSUM" of all parts, set by prepare()
  std::string folder_;                 // final folder of the parts
  bool published_ = false;
};

}  // namespace tesserec::parallel_io
