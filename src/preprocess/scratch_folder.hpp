// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/parallel_io/folder_lock.hpp>

namespace tesserec::preprocess {

/// Folder of the finished work of one preprocessing job, which a later start with the same key goes on with.
class ScratchFolder {
 public:
  /// Opens or makes OUTPUT/.scratch-KEY, where `key` is hexadecimal, and locks it until the last rank ends. Waits at
  /// most `lock_wait` seconds for another job that uses it. Removes unsealed files. Warns of folders with other keys.
  /// Collective.
  ScratchFolder(const comm::Communicator& comm, const std::string& output, const std::string& key, double lock_wait);
  /// Removes the folder unless keep() was called.
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& folder() const { return folder_; }
  /// Returns the name that tells this job's work from that of others.
  std::string key() const { return folder_.substr(folder_.rfind('/') + 1); }

  /// Sealed file of an earlier start.
  struct Sealed {
    std::string path;
    std::string footer;
  };
  /// Returns the sealed files whose names begin with `prefix`, in ascending order. Rank 0 reads them. Collective.
  std::vector<Sealed> sealed(const std::string& prefix) const;

  /// Removes the files whose names begin with `prefix`, durably. Collective.
  void remove(const std::string& prefix) const;

  /// Leaves the folder for a later start, if it holds anything. Logs its size.
  void keep();
  /// Leaves the folder of a job that fails after `seconds` of work: if it holds work of an earlier start or of a
  /// minute, unless mark_stale() was called. Returns on rank 0 whether it is left.
  bool keep_of_failure(double seconds);
  /// Notes on the disk that the text is not the one that was counted. Nobody goes on from such a folder. Any rank may
  /// call it.
  void mark_stale() const;

 private:
  /// Returns the paths of the files whose names begin with `prefix`, in ascending order.
  std::vector<std::string> files(const std::string& prefix) const;

  const comm::Communicator& comm_;
  std::string folder_;
  parallel_io::FolderLock lock_;
  bool resumed_ = false;  ///< whether an earlier start left work, as rank 0 knows
  bool kept_ = false;
};

}  // namespace tesserec::preprocess
