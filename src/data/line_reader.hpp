// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "byte_reader.hpp"
#include "raw_files.hpp"

namespace tesserec::data {

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
