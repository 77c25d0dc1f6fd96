// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "raw_files.hpp"

namespace tesserec::data {

/// The bytes of a file, as they are or unpacked from gzip.
class ByteReader {
 public:
  virtual ~ByteReader() = default;
  /// Up to `size` bytes; 0 only at the end. Errors name the file.
  virtual Index read(char* data, Index size) = 0;
};

/// Opens a file from byte `begin` on.
std::unique_ptr<ByteReader> open_plain(const std::string& path, Index begin);

/// Unpacks all gzip members as one text; ignores zero bytes behind the last. Error: a truncated or damaged file.
std::unique_ptr<ByteReader> open_gzip(const std::string& path);

struct Line {
  std::string_view text;  ///< without line end (LF or CRLF); valid until the next line
  Index begin = 0;        ///< where it begins in the file's text
  bool too_long = false;  ///< over longest_line bytes: text is cut
};

/// Whole lines that begin in a range of a file, so that adjacent ranges share no line.
class LineReader {
 public:
  static constexpr Index longest_line = Index{1} << 20;

  LineReader(const RawFile& file, Range bytes);

  /// False when no line begins in the range any more.
  bool next(Line& line) { return at_ < bytes_.end && next_anywhere(line); }
  /// Goes on past the range, to the end of the file.
  bool next_anywhere(Line& line);
  /// Digest of the text that has been read, some of it behind the range.
  std::uint64_t digest() const { return digest_; }

 private:
  bool refill();
  Index skip_line();

  std::unique_ptr<ByteReader> reader_;
  Range bytes_;
  Index at_;  ///< where the next line begins
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< unread part of the buffer
  std::uint64_t digest_ = 0;
};

/// The first lines of a file, as far as they begin in its first `bytes` bytes of text.
std::vector<std::string> first_lines(const RawFile& file, Index bytes);

}  // namespace tesserec::data
