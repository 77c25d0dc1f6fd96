// SPDX-License-Identifier: Apache-2.0
#include "line_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <tesserec/core/signals.hpp>

namespace tesserec::preprocess {

LineReader::LineReader(const RawFile& file, Range bytes, TextRules rules)
    : bytes_(bytes), rules_(std::move(rules)), at_(bytes.begin), buffer_(2 * longest_line) {
  // A line begins at the cut only if the byte before is a line end.
  const Index from = std::max(bytes.begin - 1, Index{0});
  const bool packed = file.compression != Compression::none;
  reader_ = packed ? read_beside(open_packed(file.path, file.compression, nullptr, bytes.end))
                   : open_plain(file.path, from, bytes);
  if (packed) skip(from);
  if (bytes.begin > 0) at_ = from + skip_line();
}

bool LineReader::refill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  constexpr std::size_t most = std::size_t{1} << 18;  // bytes that stay in the cache until they are parsed
  const Index got = reader_->read(buffer_.data() + end_, Index(std::min(buffer_.size() - end_, most)));
  end_ += got;
  return got > 0;
}

/// Passes over at most `most` bytes, fewer only at the end of the file.
void LineReader::skip(Index most) {
  while (most > 0 && (begin_ < end_ || refill())) {
    Signals::check();
    const std::size_t passed = std::min(end_ - begin_, std::size_t(most));
    begin_ += passed;
    most -= Index(passed);
  }
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

/// Returns the unread bytes from `from` to `to`, without a line end.
std::string_view LineReader::unread(std::size_t from, std::size_t to) const {
  std::string_view text(buffer_.data() + begin_ + from, to - from);
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// Returns the end, behind its line feed, of the line that begins at the unread byte `from`. Without a line feed in the
/// file or in longest_line bytes, returns the end of what was read.
std::size_t LineReader::line_end(std::size_t from) {
  std::size_t searched = from;
  while (true) {
    const char* const text = buffer_.data() + begin_;
    const void* const found = std::memchr(text + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) return static_cast<const char*>(found) - text + 1;
    searched = end_ - begin_;
    if (searched > longest_line || !refill()) return searched;
  }
}

/// Returns the end of the record whose first line ends in a quote that is open, at the unread byte `first`, and the
/// number of its lines. Returns `first` if no line in longest_line bytes closes the quote.
std::size_t LineReader::record_end(std::size_t first, Index& lines) {
  std::size_t end = first;
  for (Index count = 2;; ++count) {
    const std::size_t begin = end;
    end = line_end(begin);
    if (end == begin || end > longest_line) return first;
    if (leaves_open(unread(begin, end), rules_, true)) continue;
    lines = count;
    return end;
  }
}

bool LineReader::next_anywhere(Line& line) {
  std::size_t size = line_end(0);
  if (size == 0) return false;
  const bool ends = buffer_[begin_ + size - 1] == '\n';
  line = {{}, at_};
  line.too_long = size - (ends ? 1 : 0) > longest_line;
  if (line.too_long && !ends) {
    begin_ += size;
    at_ += Index(size) + skip_line();
    return true;
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  line.text = unread(0, size);
  const std::size_t mark = line.begin == 0 && line.text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  line.text.remove_prefix(mark);
  line.comment = !rules_.comment.empty() && line.text.starts_with(rules_.comment);
  if (rules_.quoted_newlines && !line.comment && !line.too_long && leaves_open(line.text, rules_, false)) {
    size = record_end(size, line.lines);
    line.text = unread(mark, size);  // The buffer may have moved.
  }
  begin_ += size;
  at_ += Index(size);
  return true;
}

std::vector<std::string> first_lines(const RawFile& file, Index bytes, const TextRules& rules) {
  LineReader reader(file, {0, bytes}, rules);
  std::vector<std::string> lines;
  for (Line line; reader.next(line);)
    if (!line.comment) lines.emplace_back(line.text);
  return lines;
}

HeaderLine header_line(const RawFile& file, const TextRules& rules) {
  LineReader reader(file, {0, 1}, rules);
  HeaderLine header;
  for (Line line; reader.next_anywhere(line); header.line += line.lines) {
    if (line.comment) continue;
    header.text = line.text;
    header.begin = line.begin;
    break;
  }
  return header;
}

}  // namespace tesserec::preprocess
