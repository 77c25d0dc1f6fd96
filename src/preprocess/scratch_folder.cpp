// SPDX-License-Identifier: Apache-2.0
#include "scratch_folder.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "packing.hpp"
#include "scratch_file.hpp"
#include "text_ranges.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::preprocess {
namespace {

namespace fs = std::filesystem;

constexpr const char* scratch_prefix = ".scratch-";

/// File in a scratch folder that says that its work is of no use.
constexpr const char* stale_mark = "stale";

std::string lock_name(const std::string& folder) { return parallel_io::FolderLock::lock_beside(folder); }

/// Returns the bytes of the files in a folder, as far as they can be read.
Index folder_bytes(const fs::path& folder) {
  Index bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (const auto size = entry.file_size(error); !error) bytes += Index(size);
  return bytes;
}

/// Removes a folder from which other ranks may still remove files, whose absence ends one remove_all() early.
void remove_with_others(const std::string& folder) {
  constexpr int most_trials = 1000;
  constexpr auto pause = std::chrono::milliseconds(1);
  std::error_code error;
  for (int trial = 0; trial < most_trials; ++trial) {
    fs::remove_all(folder, error);
    if (!error && !fs::exists(folder, error)) return;
    std::this_thread::sleep_for(pause);
  }
  log_warning(concat(folder, " cannot be removed (", error.message(), "); remove it"));
}

/// Warns of scratch folders that another set of files or settings left, unless a running job holds them.
void warn_of_stale(const std::string& output, const std::string& own) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(output, error)) {
    const std::string path = entry.path().string(), name = entry.path().filename().string();
    if (!name.starts_with(scratch_prefix) || !entry.is_directory(error) || path == own) continue;
    if (store::probe_lock(lock_name(path)).state == store::LockStatus::State::held) continue;
    log_warning(concat(path, " (", bytes_text(double(folder_bytes(entry.path()))),
                       ") is from an interrupted preprocess of other raw files or settings and is ignored; remove it "
                       "and ",
                       lock_name(path), " unless that job will go on"));
  }
}

}  // namespace

ScratchFolder::ScratchFolder(const comm::Communicator& comm, const std::string& output, const std::string& key,
                             double lock_wait)
    : comm_(comm),
      folder_(concat(output, "/", scratch_prefix, key)),
      lock_(parallel_io::FolderLock::beside(comm, folder_, lock_wait)) {
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    warn_of_stale(output, folder_);
    if (fs::exists(path(stale_mark))) fs::remove_all(folder_);
    store::make_folder_durably(folder_);
    std::vector<fs::path> drafts;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      const bool draft = entry.path().extension() == ".tmp";
      if (draft) drafts.push_back(entry.path());
      resumed_ = resumed_ || !draft;
    }
    std::error_code ignored;
    for (const fs::path& draft : drafts) fs::remove(draft, ignored);
  });
}

ScratchFolder::~ScratchFolder() {
  if (kept_ || comm_.rank() != 0) return;
  remove_with_others(folder_);
  std::error_code ignored;
  fs::remove(lock_name(folder_), ignored);
}

std::vector<std::string> ScratchFolder::files(const std::string& prefix) const {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
    if (entry.path().filename().string().starts_with(prefix)) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

void ScratchFolder::remove(const std::string& prefix) const {
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    for (const std::string& path : files(prefix)) fs::remove(path);
    store::sync_path(folder_);
  });
}

std::vector<ScratchFolder::Sealed> ScratchFolder::sealed(const std::string& prefix) const {
  std::string list;
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    for (const std::string& path : files(prefix))
      if (const auto footer = scratch_footer(path)) {
        pack_text(path, list);
        pack_text(*footer, list);
      }
  });
  list = comm_.broadcast(list, 0);
  std::vector<Sealed> files;
  for (Unpacker unpacker(list); !unpacker.done();) {
    const std::string_view path = unpacker.text(), footer = unpacker.text();
    files.push_back({std::string(path), std::string(footer)});
  }
  return files;
}

void ScratchFolder::mark_stale() const { store::write_verified(path(stale_mark), ""); }

bool ScratchFolder::keep_of_failure(double seconds) {
  constexpr double worth_keeping = 60;
  std::error_code ignored;
  if ((resumed_ || seconds > worth_keeping) && !fs::exists(path(stale_mark), ignored)) keep();
  return kept_;
}

void ScratchFolder::keep() {
  if (comm_.rank() != 0) return;
  std::error_code ignored;
  for (const std::string& path : files(kept_files)) fs::remove(path, ignored);
  const Index bytes = folder_bytes(folder_);
  kept_ = bytes > 0;
  if (kept_)
    log_info(concat("finished work (", bytes_text(double(bytes)), ") is kept in ", folder_,
                    "; the same command goes on from there"));
}

}  // namespace tesserec::preprocess
