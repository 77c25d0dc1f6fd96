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

/// A file descriptor that closes itself.
class Descriptor {
 public:
  /// Opens `path`. Throws Error if that fails; `action` is what the message says of it, such as "open it".
  Descriptor(const std::string& path, int flags, const char* action);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return file_; }
  /// Closes the descriptor now. Throws Error if that fails, since some file systems report a failed write only here.
  void close();

 private:
  std::string path_;
  int file_ = -1;
};

/// Writes all bytes. Throws Error with `path` if that fails.
void write_all(int file, const std::string& path, std::span<const std::byte> bytes);

/// Writes or replaces a file, by direct I/O where the file system supports it, syncs it, drops its page cache, reads it
/// back and compares. Throws Error if bytes differ.
void write_verified(const std::string& path, std::span<const std::byte> bytes);
void write_verified(const std::string& path, const std::string& text);

/// Reads a file from byte `first` up to `end`, or to its own end. Calls take(piece, position of its first byte) for
/// each piece, in order. All pieces but the last have read_piece bytes, so few that they stay in the cache.
inline constexpr Index read_piece = Index{1} << 20;
void read_pieces(const std::string& path, Index first,
                 const std::function<void(std::span<const std::byte>, Index)>& take,
                 Index end = std::numeric_limits<Index>::max());

/// Waits until a file or folder is on the disk.
void sync_path(const std::string& path);
/// Renames within one folder, then syncs the folder.
void rename_durably(const std::string& from, const std::string& to);
/// Renames as rename_durably() does, but returns false and changes nothing if `to` exists, also if another process
/// makes it at the same time.
bool rename_new_durably(const std::string& from, const std::string& to);
/// Replaces a small file: write_verified() of PATH.tmp, then a rename. A kill leaves the old file or the new one.
void replace_proven(const std::string& path, const std::string& text);
/// Throws Error if `path` exists and is no file with `mark` in its first 4 KiB, so that a command replaces only files
/// of its own kind. `kind`: name of that kind in the message.
void require_replaceable(const std::string& path, const std::string& mark, const char* kind);
/// Makes a folder and its missing parent folders. Syncs the parent of each.
void make_folder_durably(const std::string& path);
/// Makes a folder for what a command writes, as make_folder_durably() does; "" is the working folder. `key`: deck key
/// or option that names it. Throws Error that begins with `key` if it cannot be made, or if no file can be made in it.
void make_output_folder(const std::string& path, const std::string& key);
/// Makes the folder of a file or folder that a command writes, as make_output_folder() does.
void make_output_folder_of(const std::string& path, const std::string& key);

/// Throws Error "PATH: cannot ACTION: REASON" with the reason of errno.
[[noreturn]] void fail_errno(const std::string& path, const std::string& action);

/// Entry of a draft, a file or a folder that this process is writing, in the list of remove_open_drafts().
class OpenDraft {
 public:
  /// Adds the draft to the list until the object ends.
  explicit OpenDraft(std::string path);
  ~OpenDraft();
  OpenDraft(const OpenDraft&) = delete;
  OpenDraft& operator=(const OpenDraft&) = delete;

 private:
  std::string path_;
};

/// Removes all drafts that are being written, for a process that ends without unwinding. Any thread may call it.
void remove_open_drafts() noexcept;

}  // namespace tesserec::store
