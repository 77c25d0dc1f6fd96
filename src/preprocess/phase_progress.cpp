// SPDX-License-Identifier: Apache-2.0
#include "phase_progress.hpp"

#include <algorithm>
#include <utility>

#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {
namespace {

constexpr double seconds_between_lines = 0.5;
constexpr double long_seconds = 10;  // below it a phase ends without a line

std::string rates(double rows, double bytes, double seconds) {
  return concat(significant(rows / seconds / 1e6, 3), " M rows/s, ", bytes_text(bytes / seconds), "/s");
}

/// Returns the share of a range before a block of its text, or before a row group.
double share_of(const RawFile& file, const Range& range, Index block) {
  if (file.parquet) return double(block - range.begin) / double(range.size());
  const double at = double(block) * double(text_block) - double(range.begin);
  const double size = text_bytes(file, range);
  return std::clamp(at / size, 0.0, 1.0);
}

}  // namespace

PhaseProgress::PhaseProgress(const comm::Communicator& comm, std::string name, std::span<const RawFile> files,
                             std::span<const FileRange> ranges)
    : name_(std::move(name)), files_(files), ranges_(ranges), before_(1, 0.0), shown_(comm.rank() == 0) {
  for (const FileRange& range : ranges)
    before_.push_back(before_.back() + text_bytes(files[std::size_t(range.file)], range.bytes));
  shares_ = double(comm.sum(Index(before_.back()))) / std::max(before_.back(), 1.0);
}

void PhaseProgress::show(std::size_t range, Index block) {
  const double seconds = timer_.seconds();
  if (!shown_ || seconds - last_ < seconds_between_lines) return;
  last_ = seconds;
  const FileRange& now = ranges_[range];
  const double bytes = before_[range] + share_of(files_[std::size_t(now.file)], now.bytes, block) *
                                            (before_[range + 1] - before_[range]);
  if (bytes <= 0) return;
  const double left = before_.back() - bytes;
  log_progress(concat(name_, ": ", fixed(100 * bytes / before_.back(), 0), " %, ",
                      rates(double(rows_) * shares_, bytes * shares_, seconds), ", ",
                      seconds_text(left / bytes * seconds), " to go"));
}

void PhaseProgress::finish() {
  const double seconds = timer_.seconds();
  if (!shown_ || seconds < long_seconds) return;
  log_progress(concat(name_, ": done in ", seconds_text(seconds), ", ",
                      rates(double(rows_) * shares_, before_.back() * shares_, seconds)),
               true);
}

}  // namespace tesserec::preprocess
