// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <tesserec/store/disk.hpp>

namespace tesserec::store {

/// A new folder NAME.tmp, which publish() renames to NAME. The destructor removes it with its content otherwise.
class FolderDraft {
 public:
  /// Makes the folder. `option`: option of the command line that names it, for messages. Throws Error if NAME or
  /// NAME.tmp exists.
  FolderDraft(const std::string& path, std::string option);
  ~FolderDraft();
  FolderDraft(const FolderDraft&) = delete;
  FolderDraft& operator=(const FolderDraft&) = delete;

  /// Returns NAME, without a slash at its end.
  const std::string& path() const { return path_; }
  const std::string& draft() const { return draft_; }
  /// Throws Error if NAME exists by now, as publish_file() does. A signal does not end it halfway.
  void publish();
  /// Renames the one file of the folder to NAME. The destructor removes the folder.
  void publish_file(const std::string& name);

 private:
  [[noreturn]] void fail_existing() const;

  std::string path_, draft_, option_;
  std::optional<OpenDraft> open_;  // while the folder is ours
};

}  // namespace tesserec::store
