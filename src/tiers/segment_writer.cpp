// SPDX-License-Identifier: Apache-2.0
#include "segment_writer.hpp"

#include <cstdlib>
#include <new>
#include <utility>

namespace tesserec::tiers {
namespace {

constexpr Index read_tag = -1;

}  // namespace

SegmentWriter::SegmentWriter(IoQueue& queue, int file, Index segment_bytes)
    : queue_(queue),
      file_(file),
      segment_bytes_(segment_bytes),
      buffers_(static_cast<std::byte*>(std::aligned_alloc(page_bytes, (count + 1) * segment_bytes)), std::free) {
  if (buffers_ == nullptr) throw std::bad_alloc();
  for (int i = 0; i < count; ++i) idle_.push_back(i);
}

SegmentWriter::~SegmentWriter() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return writing_ == 0; });
}

int SegmentWriter::take() {
  if (idle_.empty()) return -1;
  const int buffer = idle_.back();
  idle_.pop_back();
  return buffer;
}

void SegmentWriter::write(Index segment, int buffer) {
  {
    const std::lock_guard lock(mutex_);
    ++writing_;
  }
  const IoRequest request{.file = file_,
                          .offset = segment * segment_bytes_,
                          .bytes = segment_bytes_,
                          .from = at(buffer),
                          .to = nullptr,
                          .client = this,
                          .tag = segment * count + buffer};
  queue_.push({&request, 1});
}

std::vector<SegmentWriter::Written> SegmentWriter::ended(bool waits) {
  std::unique_lock lock(mutex_);
  if (waits) changed_.wait(lock, [&] { return !written_.empty() || writing_ == 0; });
  for (const Written& written : written_) idle_.push_back(written.buffer);
  return std::exchange(written_, {});
}

int SegmentWriter::read(Index segment) {
  read_error_ = -1;
  const IoRequest request{.file = file_,
                          .offset = segment * segment_bytes_,
                          .bytes = segment_bytes_,
                          .from = nullptr,
                          .to = at(count),
                          .client = this,
                          .tag = read_tag};
  queue_.push({&request, 1});
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return read_error_ >= 0; });
  return read_error_;
}

int SegmentWriter::error() {
  const std::lock_guard lock(mutex_);
  return error_;
}

void SegmentWriter::done(Index tag, const std::byte*, int error) {
  const std::lock_guard lock(mutex_);
  if (tag == read_tag) {
    read_error_ = error;
  } else {
    --writing_;
    if (error == 0)
      written_.push_back({tag / count, int(tag % count)});
    else if (error_ == 0)
      error_ = error;
  }
  changed_.notify_all();
}

}  // namespace tesserec::tiers
