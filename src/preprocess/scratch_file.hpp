// SPDX-License-Identifier: Apache-2.0
/// Files of finished work beside the output, with which an interrupted run goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <tesserec/core/index.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::preprocess {

/// Bytes of a scratch file and their XXH3_64.
struct ScratchPiece {
  Index first = 0;
  Index bytes = 0;
  std::uint64_t checksum = 0;
};

/// Writer of one scratch file: pieces, then a footer. The file has another name until it is sealed, so a file of the
/// final name is whole however the process ends.
class ScratchWriter {
 public:
  /// Creates PATH.tmp.
  explicit ScratchWriter(std::string path);
  /// Removes PATH.tmp unless the file is sealed.
  ~ScratchWriter();
  ScratchWriter(const ScratchWriter&) = delete;
  ScratchWriter& operator=(const ScratchWriter&) = delete;

  const std::string& path() const { return path_; }
  /// Appends bytes. Throws Error, naming the file, if they cannot be written.
  ScratchPiece append(std::string_view bytes);
  /// Appends the footer, writes all to the disk and gives the file its name.
  void seal(std::string_view footer);
  /// Gives a file without a footer its name, and does not wait until it is on the disk.
  void finish();

 private:
  /// Writes what append() still holds in memory.
  void flush();

  std::string path_;
  store::OpenDraft draft_;
  std::unique_ptr<store::Descriptor> file_;
  std::string buffer_;  ///< bytes that are not written yet
  Index end_ = 0;       ///< bytes of the file, those of the buffer included
};

/// Returns the footer of a sealed file; nullopt if the file is missing, cut or damaged there.
std::optional<std::string> scratch_footer(const std::string& path);

/// Open scratch file, of which pieces are read.
class ScratchReader {
 public:
  /// Opens a sealed file. Throws Error, naming the file, if that fails.
  explicit ScratchReader(std::string path);
  ~ScratchReader();
  ScratchReader(const ScratchReader&) = delete;
  ScratchReader& operator=(const ScratchReader&) = delete;

  /// Reads pieces that follow one another. Throws Error, naming the file, if their checksums differ.
  std::string read(std::span<const ScratchPiece> pieces) const;

 private:
  std::string path_;
  std::unique_ptr<store::Descriptor> file_;
};

/// Reads pieces that follow one another in a file. Throws Error, naming the file, if their checksums differ.
std::string read_scratch(const std::string& path, std::span<const ScratchPiece> pieces);

}  // namespace tesserec::preprocess
