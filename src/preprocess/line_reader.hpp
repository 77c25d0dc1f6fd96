// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "byte_reader.hpp"
#include "raw_files.hpp"
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/fields.hpp>

namespace tesserec::preprocess {

/// Line of a text, or a record of several lines if quoted fields may hold line breaks.
struct Line {
  std::string_view text;  ///< text without its last line end (LF or CRLF); valid until the next line
  Index begin = 0;        ///< offset in the file's text, bytes
  Index lines = 1;        ///< lines of the file that the text covers
  bool too_long = false;  ///< true over longest_line bytes; the text may then be empty
  bool comment = false;   ///< true if the rules say that the line is no record
};

/// Reader of the lines that begin in a range of a file. Adjacent ranges share no line. A record whose quoted fields
/// hold line breaks is one line, unless its quote stays open for longest_line bytes; then each line is one of its own.
class LineReader {
 public:
  /// Maximum length of a line, bytes.
  static constexpr Index longest_line = Index{1} << 20;

  /// Opens the file at the first line that begins in `bytes` of its text. A packed file is unpacked from its start. A
  /// file with quoted line breaks must be read from there.
  LineReader(const RawFile& file, Range bytes, TextRules rules = {});

  /// Reads the next line. Returns false if no further line begins in the range.
  bool next(Line& line) { return at_ < bytes_.end && next_anywhere(line); }
  /// Reads the next line, even beyond the range. Returns false at the end of the file.
  bool next_anywhere(Line& line);
  /// Returns the digest of the file's bytes in the range, once next() returned false: of a packed file, of its first
  /// digested() bytes, which make its text up to the end of the range.
  std::uint64_t digest() const { return reader_->digest(); }
  Index digested() const { return reader_->digested(); }
  /// Returns ByteReader::members() of the file, whose last line was read.
  Index members() const { return reader_->members(); }

 private:
  bool refill();
  void skip(Index most);
  Index skip_line();
  std::size_t line_end(std::size_t from);
  std::size_t record_end(std::size_t first, Index& lines);
  std::string_view unread(std::size_t from, std::size_t to) const;

  std::unique_ptr<ByteReader> reader_;
  Range bytes_;
  TextRules rules_;
  Index at_;  ///< offset of the next line in the text, bytes
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< unread bytes of the buffer
};

/// Returns the lines that begin in the first `bytes` bytes of a file's text, without comments.
std::vector<std::string> first_lines(const RawFile& file, Index bytes, const TextRules& rules);

/// Header of a file: the first line that is no comment.
struct HeaderLine {
  std::string text;
  Index begin = -1;  ///< offset in the file's text, bytes; -1 if there is none
  Index line = 1;    ///< number of the line in the file, from 1
};

/// Reads the header of a file.
HeaderLine header_line(const RawFile& file, const TextRules& rules);

}  // namespace tesserec::preprocess
