// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tesserec/store/disk.hpp>
#include <tesserec/store/lock.hpp>

namespace tesserec::store {

/// A text file that is written piece by piece under PATH.tmp. PATH stays as it was until publish().
class TextDraft {
 public:
  /// Creates PATH.tmp. Waits at most `lock_wait` seconds for another job that writes PATH.
  TextDraft(const std::string& path, double lock_wait);
  /// Removes a draft that was not published.
  ~TextDraft();
  TextDraft(const TextDraft&) = delete;
  TextDraft& operator=(const TextDraft&) = delete;

  /// Appends text, which may stay in memory until publish().
  void write(std::string_view text);
  /// Waits until the text is on the disk, reads it back, compares, and renames the file to PATH. Throws Error if the
  /// text on the disk differs.
  void publish();

 private:
  struct Digest;
  void flush();

  std::string path_;
  FileLock lock_;
  OpenDraft open_;
  Descriptor file_;
  std::string pending_;
  std::unique_ptr<Digest> digest_;
  bool published_ = false;
};

}  // namespace tesserec::store
