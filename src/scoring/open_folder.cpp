// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/scoring/open_folder.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::scoring {
namespace {

constexpr Index share_bytes = Index{64} << 20;  // read between two looks at ends()

/// Returns the status of a file, or nothing if there is none.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool is_same_file(const std::optional<struct stat>& now, const struct stat& noted) {
  return now && now->st_ino == noted.st_ino && now->st_dev == noted.st_dev;
}

}  // namespace

OpenFolder::OpenFolder(std::string folder) : folder_(std::move(folder)), manifest_(read_model_manifest(folder_)) {
  note("manifest.json");
  note(manifest_.network.name);
  for (const FolderTable& table : manifest_.tables) {
    note(table.file.name);
    if (table.ids) note(table.ids->name);
  }
  if (manifest_.raw)
    for (const FolderVocabulary& vocabulary : *manifest_.raw) note(vocabulary.file.name);
}

void OpenFolder::note(const std::string& name) {
  const std::string path = folder_ + "/" + name;
  const std::optional<struct stat> status = status_of(path);
  if (!status) store::fail_errno(path, "open it");
  files_.push_back({path, *status});
}

void OpenFolder::look() {
  for (const NotedFile& file : files_) {
    const std::optional<struct stat> now = status_of(file.path);
    if (!is_same_file(now, file.status)) {
      if (!std::exchange(warned_, true))
        log_warning(file.path + " was replaced or removed; the model that was opened is still served");
    } else if (now->st_size != file.status.st_size || now->st_mtim.tv_sec != file.status.st_mtim.tv_sec ||
               now->st_mtim.tv_nsec != file.status.st_mtim.tv_nsec) {
      fail(file.path,
           " was changed while it was served, so that scores may be of neither model; export to a new folder");
    }
  }
}

bool OpenFolder::verify_rows(const std::function<bool()>& ends) const {
  for (const FolderTable& table : manifest_.tables) {
    const std::string path = folder_ + "/" + table.file.name;
    const Index shares = table.file.bytes / share_bytes + 1;
    try {
      store::FileChecksum found;
      for (Index share = 0; share < shares; ++share) {
        if (ends()) return false;
        const store::FileChecksum part = store::file_checksum(path, share, shares);
        found = {part.bytes, found.checksum + part.checksum};
      }
      require_same(folder_, table.file, found);
    } catch (const Error&) {
      const auto noted = std::ranges::find(files_, path, &NotedFile::path);
      if (is_same_file(status_of(path), noted->status)) throw;
      return false;  // the mapped file is another one
    }
  }
  return true;
}

}  // namespace tesserec::scoring
