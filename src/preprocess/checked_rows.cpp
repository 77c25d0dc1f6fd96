// SPDX-License-Identifier: Apache-2.0
#include "checked_rows.hpp"

#include "scratch_folder.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {

// The first reading has judged the bad rows, so they are skipped now.
CheckedRows::CheckedRows(const Survey& survey, const RowFormat& format, const ScratchFolder& scratch, Range which)
    : survey_(survey),
      scratch_(scratch),
      which_(which),
      ranges_(file_ranges(survey.own().subspan(std::size_t(which.begin), std::size_t(which.size())))),
      stream_(survey.files, ranges_, format, BadRows::skip, survey.targets, survey.side) {}

bool CheckedRows::next(Row& row) {
  if (!stream_.next(row)) {
    check(stream_.counts().size());
    if (checked_ < ranges_.size()) fail_changed(ranges_[checked_].file);
    require_unchanged(survey_.files);
    return false;
  }
  check(stream_.counts().size() - 1);
  if (stream_.counts().back().rows > survey_.own()[std::size_t(range())].count.rows) fail_changed(stream_.file());
  for (std::size_t k = 0; k < survey_.key_bytes.size(); ++k)
    if (std::ssize(row.keys[k]) > survey_.key_bytes[k]) fail_changed(stream_.file());
  return true;
}

std::string CheckedRows::place() const {
  const TextRange& own = survey_.own()[std::size_t(range())];
  const RangeCount& now = stream_.counts().back();
  Index line = now.lines - now.row_lines + 1;
  for (const TextRange& other : survey_.ranges)
    if (other.range.file == own.range.file && other.range.bytes.begin < own.range.bytes.begin)
      line += other.count.lines;
  return concat(survey_.files[std::size_t(own.range.file)].path, ":", line);
}

/// Gives the first reading's work up and fails.
void CheckedRows::fail_changed(Index file) const {
  scratch_.mark_stale();
  require_unchanged(survey_.files);
  fail(survey_.files[std::size_t(file)].path,
       " was changed while it was being read; leave the raw files alone until the command ends, and start it again");
}

/// Compares the ranges before number `ranges`, which are read.
void CheckedRows::check(std::size_t ranges) {
  for (; checked_ < ranges; ++checked_) {
    const RangeCount& now = stream_.counts()[checked_];
    const RangeCount& first = survey_.own()[std::size_t(which_.begin) + checked_].count;
    // Another build's decompressor may have taken more or fewer bytes until the end of the range.
    const bool same = now.digested != first.digested || now.text == first.text;
    if (now.rows != first.rows || !same) fail_changed(ranges_[checked_].file);
  }
}

}  // namespace tesserec::preprocess
