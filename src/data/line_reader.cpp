// SPDX-License-Identifier: Apache-2.0
#include "line_reader.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cstring>

#include <xxhash.h>

namespace tesserec::data {

LineReader::LineReader(const RawFile& file, Range bytes) : bytes_(bytes), at_(bytes.begin), buffer_(2 * longest_line) {
  if (file.gzip) {
    reader_ = open_gzip(file.path);
  } else {
    // A line begins at the cut only if the byte before is a line end.
    const Index from = std::max(bytes.begin - 1, Index{0});
    reader_ = open_plain(file.path, from);
    if (bytes.begin > 0) at_ = from + skip_line();
  }
}

bool LineReader::refill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const Index got = reader_->read(buffer_.data() + end_, Index(buffer_.size() - end_));
  if (got > 0) digest_ = XXH3_64bits_withSeed(buffer_.data() + end_, std::size_t(got), digest_);
  end_ += got;
  return got > 0;
}

Index LineReader::skip_line() {
  Index skipped = 0;
  while (true) {
    if (begin_ == end_ && !refill()) return skipped;
    const void* found = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    const std::size_t stop = found != nullptr ? (static_cast<const char*>(found) - buffer_.data()) + 1 : end_;
    skipped += stop - begin_;
    begin_ = stop;
    if (found != nullptr) return skipped;
  }
}

bool LineReader::next_anywhere(Line& line) {
  std::size_t searched = 0;
  const void* found = nullptr;
  while (true) {
    found = std::memchr(buffer_.data() + begin_ + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) break;
    searched = end_ - begin_;
    if (searched > longest_line || !refill()) break;
  }
  const char* text = buffer_.data() + begin_;
  auto length = found != nullptr ? (static_cast<const char*>(found) - text) : end_ - begin_;
  if (found == nullptr && length == 0) return false;
  line.begin = at_;
  line.too_long = length > longest_line;
  begin_ += length + (found != nullptr ? 1 : 0);
  at_ += Index(length) + (found != nullptr ? 1 : 0);
  if (line.too_long && found == nullptr) {
    at_ += skip_line();
    line.text = {};
    return true;
  }
  if (length > 0 && text[length - 1] == '\r') --length;
  line.text = {text, length};
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (line.begin == 0 && line.text.starts_with(byte_order_mark)) line.text.remove_prefix(byte_order_mark.size());
  return true;
}

std::vector<std::string> first_lines(const RawFile& file, Index bytes) {
  LineReader reader(file, {0, bytes});
  std::vector<std::string> lines;
  for (Line line; reader.next(line);) lines.emplace_back(line.text);
  return lines;
}

}  // namespace tesserec::data
