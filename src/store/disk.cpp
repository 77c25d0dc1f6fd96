// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page_buffer.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::store {
namespace {

void sync(int file, const std::string& path) {
  int code = 0;
  do code = ::fsync(file);
  while (code != 0 && errno == EINTR);
  // Some file systems refuse to sync a folder (EINVAL); they have nothing to wait for.
  if (code != 0 && errno != EINVAL) fail_errno(path, "write it to the disk");
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Waits until the name of a file or folder is on the disk.
void sync_name(const std::string& path) { sync_path(folder_of(path)); }

/// Allocates memory for direct I/O. Throws std::bad_alloc.
PageBuffer transfer_buffer(std::size_t bytes) {
  PageBuffer buffer = page_buffer(bytes);
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

/// Drops a file from the page cache, reads it from the disk and calls take(piece) for each piece, in order. A file
/// system that reads only through the page cache may return the bytes that stayed there.
template <class Take>
void read_past_cache(const std::string& path, const Take& take) {
  constexpr std::size_t most = std::size_t{1} << 20;  // bytes
  const Descriptor file(path, O_RDONLY, "open it");
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  bool direct = ::fcntl(file, F_SETFL, O_DIRECT) == 0;
  const PageBuffer memory = transfer_buffer(most);
  const auto* const buffer = static_cast<const std::byte*>(memory.get());
  for (Index at = 0;;) {
    const ssize_t got = ::pread(file, memory.get(), most, at);
    if (got < 0 && errno == EINTR) continue;
    // The position is no multiple of the blocks of the disk: that of the end, or of blocks larger than a page.
    if (got < 0 && errno == EINVAL && direct) {
      direct = false;
      if (::fcntl(file, F_SETFL, 0) != 0) fail_errno(path, "read it");
      continue;
    }
    if (got < 0) fail_errno(path, "read it");
    if (got == 0) return;
    take(std::span(buffer, std::size_t(got)));
    at += got;
  }
}

/// Writes bytes at the beginning of an empty file. Whole pages of many bytes go to the disk by direct I/O where the
/// file system supports it, so that the page cache needs no memory for them and nobody copies them there. Bytes that do
/// not begin at a page are copied to a buffer that does.
void write_past_cache(int file, const std::string& path, std::span<const std::byte> bytes) {
  constexpr std::size_t most = std::size_t{4} << 20;  // bytes of one transfer, enough for the full rate of a fast disk
  if (bytes.size() >= most && ::fcntl(file, F_SETFL, O_DIRECT) == 0) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % page_bytes == 0;
    const PageBuffer buffer = aligned ? PageBuffer(nullptr, &std::free) : transfer_buffer(most);
    while (bytes.size() >= page_bytes) {
      const std::size_t size = std::min(most, bytes.size() / page_bytes * page_bytes);
      if (!aligned) std::memcpy(buffer.get(), bytes.data(), size);
      const ssize_t written = ::write(file, aligned ? bytes.data() : buffer.get(), size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EINVAL) break;  // The blocks of the disk are larger than a page.
      if (written < 0) fail_errno(path, "write it");
      bytes = bytes.subspan(std::size_t(written));
      if (std::size_t(written) % page_bytes != 0) break;  // The next one would not begin at a page.
    }
    if (::fcntl(file, F_SETFL, 0) != 0) fail_errno(path, "write it");
  }
  write_all(file, path, bytes);
}

struct OpenDrafts {
  std::mutex mutex;
  std::multiset<std::string> paths;
};

OpenDrafts& open_drafts() {
  static OpenDrafts instance;
  return instance;
}

/// Makes an empty file or folder, which a rename then replaces. Returns false if the name is taken.
bool take_name(const std::string& path, bool is_folder) {
  const int code =
      is_folder ? ::mkdir(path.c_str(), 0777) : ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (code < 0 && errno == EEXIST) return false;
  if (code < 0) fail_errno(path, "create it");
  if (!is_folder) ::close(code);
  return true;
}

}  // namespace

void fail_errno(const std::string& path, const std::string& action) {
  fail(path, ": cannot ", action, ": ", std::strerror(errno));
}

Descriptor::Descriptor(const std::string& path, int flags, const char* action)
    : path_(path), file_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
  if (file_ < 0) fail_errno(path, action);
}

Descriptor::~Descriptor() {
  if (file_ >= 0) ::close(file_);
}

void Descriptor::close() {
  if (::close(std::exchange(file_, -1)) != 0) fail_errno(path_, "close it");
}

void write_all(int file, const std::string& path, std::span<const std::byte> bytes) {
  constexpr std::size_t max_bytes = std::size_t{64} << 20;  // bytes of one call; Linux takes at most 2 GiB
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), std::min(bytes.size(), max_bytes));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno(path, "write it");
    bytes = bytes.subspan(written);
  }
}

void write_verified(const std::string& path, std::span<const std::byte> bytes) {
  {
    Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, "create it");
    write_past_cache(file, path, bytes);
    sync(file, path);
    file.close();
  }
  Index read = 0;
  read_past_cache(path, [&](std::span<const std::byte> piece) {
    const auto end = read + piece.size();
    if (end > bytes.size() || std::memcmp(piece.data(), bytes.data() + read, piece.size()) != 0)
      fail(path, ": the bytes on the disk differ from those written, from byte ", read, " on; the disk is failing");
    read = Index(end);
  });
  if (read != std::ssize(bytes))
    fail(path, ": ", read, " bytes are on the disk, but ", bytes.size(), " were written; the disk is failing");
}

void write_verified(const std::string& path, const std::string& text) {
  write_verified(path, std::as_bytes(std::span(text.data(), text.size())));
}

void read_pieces(const std::string& path, Index first,
                 const std::function<void(std::span<const std::byte>, Index)>& take, Index end) {
  const Descriptor file(path, O_RDONLY, "open it");
  ::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  std::vector<std::byte> buffer(read_piece);
  std::size_t held = 0;
  for (Index at = first; at < end;) {
    const std::size_t wanted = std::min(std::ssize(buffer), end - at);
    const ssize_t got = ::pread(file, buffer.data() + held, wanted - held, at + Index(held));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno(path, "read it");
    held += got;
    if (got > 0 && held < wanted) continue;
    if (held > 0) take({buffer.data(), held}, at);
    if (got == 0) return;
    at += std::exchange(held, 0);
  }
}

void sync_path(const std::string& path) {
  const Descriptor file(path, O_RDONLY, "open it");
  sync(file, path);
}

void rename_durably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail_errno(from, "rename it to " + to);
  sync_name(to);
}

bool rename_new_durably(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
    sync_name(to);
    return true;
  }
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS) fail_errno(from, "rename it to " + to);
  // The file system does not know the flag, as some of a network.
  if (!take_name(to, std::filesystem::is_directory(from))) return false;
  try {
    rename_durably(from, to);
  } catch (...) {
    std::remove(to.c_str());
    throw;
  }
  return true;
}

void replace_proven(const std::string& path, const std::string& text) {
  const std::string draft = path + ".tmp";
  const OpenDraft open(draft);
  try {
    write_verified(draft, text);
    rename_durably(draft, path);
  } catch (...) {
    ::unlink(draft.c_str());
    throw;
  }
}

void require_replaceable(const std::string& path, const std::string& mark, const char* kind) {
  constexpr std::size_t head = 4096;
  std::error_code unreadable;  // the writer reports it
  if (!std::filesystem::exists(path, unreadable)) return;
  if (std::filesystem::is_regular_file(path, unreadable) &&
      read_file(path, "the file", head).find(mark) != std::string::npos)
    return;
  fail(path, " exists and is no ", kind, ", so it is not replaced; name another file, or remove it");
}

void make_folder_durably(const std::string& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) return;
  const std::string above = folder_of(path);
  if (above != path && above != ".") make_folder_durably(above);
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) fail_errno(path, "create this folder");
  if (!std::filesystem::is_directory(path, error)) fail(path, ": cannot create this folder: a file has its name");
  sync_path(above);
}

void make_output_folder(const std::string& path, const std::string& key) {
  const std::string folder = path.empty() ? "." : path;
  try {
    make_folder_durably(folder);
    if (::access(folder.c_str(), W_OK | X_OK) != 0) fail_errno(folder, "write into this folder");
  } catch (const Error& error) {
    fail(key, ": ", error.what(), "; name another folder");
  }
}

void make_output_folder_of(const std::string& path, const std::string& key) {
  make_output_folder(std::filesystem::path(path).parent_path().string(), key);
}

OpenDraft::OpenDraft(std::string path) : path_(std::move(path)) {
  OpenDrafts& drafts = open_drafts();
  const std::lock_guard lock(drafts.mutex);
  drafts.paths.insert(path_);
}

OpenDraft::~OpenDraft() {
  OpenDrafts& drafts = open_drafts();
  const std::lock_guard lock(drafts.mutex);
  drafts.paths.erase(drafts.paths.find(path_));
}

void remove_open_drafts() noexcept {
  OpenDrafts& drafts = open_drafts();
  const std::lock_guard lock(drafts.mutex);
  std::error_code ignored;  // The next writer removes drafts that remain.
  for (const std::string& path : drafts.paths) std::filesystem::remove_all(path, ignored);
}

}  // namespace tesserec::store
