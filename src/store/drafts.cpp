// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include <tesserec/store/drafts.hpp>

namespace tesserec::store {
namespace {

struct OpenDrafts {
  std::mutex mutex;
  std::multiset<std::string> paths;
};

OpenDrafts& open_drafts() {
  static OpenDrafts all;
  return all;
}

}  // namespace

OpenDraft::OpenDraft(std::string path) : path_(std::move(path)) {
  OpenDrafts& all = open_drafts();
  const std::lock_guard lock(all.mutex);
  all.paths.insert(path_);
}

OpenDraft::~OpenDraft() {
  OpenDrafts& all = open_drafts();
  const std::lock_guard lock(all.mutex);
  all.paths.erase(all.paths.find(path_));
}

void remove_open_drafts() noexcept {
  OpenDrafts& all = open_drafts();
  const std::lock_guard lock(all.mutex);
  std::error_code ignored;  // the next writer removes what is left
  for (const std::string& path : all.paths) std::filesystem::remove_all(path, ignored);
}

}  // namespace tesserec::store
