// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <filesystem>
#include <utility>

#include <sys/stat.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/store/folder_draft.hpp>

namespace tesserec::store {

namespace fs = std::filesystem;

FolderDraft::FolderDraft(const std::string& path, std::string option)
    : path_((fs::path(path) / "").parent_path().string()), draft_(path_ + ".tmp"), option_(std::move(option)) {
  std::error_code unreadable;
  if (fs::exists(path_, unreadable)) fail_existing();
  make_output_folder_of(path_, option_);
  if (::mkdir(draft_.c_str(), 0777) != 0) {
    if (errno == EEXIST) fail(draft_, " exists: another process is writing it, or was killed; wait, or remove it");
    fail_errno(draft_, "create this folder");
  }
  open_.emplace(draft_);  // not before, so that no draft of another process is removed
}

FolderDraft::~FolderDraft() {
  std::error_code ignored;  // The next writer of this folder names what stayed.
  if (open_) fs::remove_all(draft_, ignored);
}

void FolderDraft::fail_existing() const { fail(path_, " exists; name another one with ", option_, ", or remove it"); }

void FolderDraft::publish() {
  const Signals::Orderly orderly;  // A signal must not come between the rename and its end.
  sync_path(draft_);
  if (!rename_new_durably(draft_, path_)) fail_existing();
  open_.reset();
}

void FolderDraft::publish_file(const std::string& name) {
  if (!rename_new_durably(draft_ + "/" + name, path_)) fail_existing();
}

}  // namespace tesserec::store
