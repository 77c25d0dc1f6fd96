// SPDX-License-Identifier: Apache-2.0
/// Files and folders that survive a power cut. Every return code is checked; errors name the path and the system's
/// reason.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

/// A descriptor that closes itself.
class Descriptor {
 public:
  /// Error when it cannot be opened; `action` says what for.
  Descriptor(const std::string& path, int flags, const char* action);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return file_; }
  /// Closes now: some file systems report a failed write only here.
  void close();

 private:
  std::string path_;
  int file_ = -1;
};

/// Writes all bytes; `path` is for the error.
void write_all(int file, const std::string& path, std::span<const std::byte> bytes);

/// Writes or replaces a file, waits for the disk, drops the page cache, reads back and compares. Error if bytes differ.
void write_proven(const std::string& path, std::span<const std::byte> bytes);
void write_proven(const std::string& path, const std::string& text);

/// Calls take(piece, its first byte) for the pieces of a file from byte `first` up to `end`, or to its own end, in
/// order; all but the last are read_piece long.
inline constexpr Index read_piece = Index{8} << 20;
void read_pieces(const std::string& path, Index first,
                 const std::function<void(std::span<const std::byte>, Index)>& take,
                 Index end = std::numeric_limits<Index>::max());

/// Waits until a file or folder is on the disk.
void sync_path(const std::string& path);
/// One rename in the same folder, then the folder is synced.
void rename_durably(const std::string& from, const std::string& to);
/// Replaces a small file by write_proven under PATH.tmp and a rename: a kill leaves the old or the new one.
void replace_proven(const std::string& path, const std::string& text);
/// Makes a folder and those above it that are missing, each synced in the one above.
void make_folder_durably(const std::string& path);

/// Throws Error: "PATH: cannot ACTION: REASON", the reason of errno.
[[noreturn]] void fail_errno(const std::string& path, const std::string& action);

/// Draft, a file or a folder, that this process is writing and must not leave half written.
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
