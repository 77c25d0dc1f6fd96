// SPDX-License-Identifier: Apache-2.0
/// Files that a process must not leave half written, however it ends.
#pragma once

#include <string>

namespace tesserec::store {

/// Names a draft, a file or a folder, while this process writes it.
class OpenDraft {
 public:
  explicit OpenDraft(std::string path);
  ~OpenDraft();
  OpenDraft(const OpenDraft&) = delete;
  OpenDraft& operator=(const OpenDraft&) = delete;

 private:
  std::string path_;
};

/// Removes the drafts that are written now, for a process that ends without unwinding. Any thread may call it.
void remove_open_drafts() noexcept;

}  // namespace tesserec::store
