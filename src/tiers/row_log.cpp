// SPDX-License-Identifier: Apache-2.0
#include "row_log.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <tesserec/core/error.hpp>

namespace tesserec::tiers {
namespace {

constexpr Index wanted_segment_bytes = Index{1} << 20;  // large enough that the time of a write is its bytes' time
constexpr int buffer_count = 4;                         // one filling, others being written
constexpr Index reserve = 2;                            // idle segments that cleaning needs to make progress
constexpr double spare = 0.5;                           // share of the records by which the file is larger

Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

RowLog::RowLog(const std::string& folder, const std::string& name, Index record_bytes, Index records, IoQueue& queue,
               LogOwner owner)
    : folder_(folder),
      name_(name),
      record_bytes_(record_bytes),
      per_page_(std::max<Index>(1, page_bytes / record_bytes)),
      pages_per_record_((record_bytes + page_bytes - 1) / page_bytes),
      per_segment_(std::max<Index>(8, wanted_segment_bytes / (pages_per_record_ * page_bytes) * per_page_)),
      header_bytes_(round_up(per_segment_ * Index{sizeof(Index)}, page_bytes)),
      segment_bytes_(header_bytes_ + round_up(per_segment_, per_page_) / per_page_ * pages_per_record_ * page_bytes),
      segments_(Index(double(records) * (1 + spare)) / per_segment_ + reserve + buffer_count),
      file_(folder, "the rows of table " + name, std::ssize(segments_) * segment_bytes_),
      queue_(queue),
      owner_(std::move(owner)),
      live_(std::ssize(segments_) * per_segment_),
      buffers_(static_cast<std::byte*>(std::aligned_alloc(page_bytes, (buffer_count + 1) * segment_bytes_)),
               std::free) {
  if (buffers_ == nullptr) throw std::bad_alloc();
  for (int i = 0; i < buffer_count; ++i) idle_buffers_.push_back(i);
  for (Index segment = std::ssize(segments_) - 1; segment >= 0; --segment) idle_segments_.push_back(segment);
}

RowLog::~RowLog() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return writing_ == 0; });
}

Index RowLog::offset_in_segment(Index place) const {
  const Index record = place % per_segment_, page = record / per_page_ * pages_per_record_;
  return header_bytes_ + page * page_bytes + record % per_page_ * record_bytes_;
}

Index RowLog::position(Index place) const { return place % per_segment_ % per_page_ * record_bytes_; }

const std::byte* RowLog::in_memory(Index place) const {
  const Segment& segment = segments_[segment_of(place)];
  if (segment.buffer < 0) return nullptr;
  return buffers_.get() + segment.buffer * segment_bytes_ + offset_in_segment(place);
}

IoRequest RowLog::read(Index place, IoClient& client, Index tag) const {
  return {.file = file_.descriptor(),
          .offset = segment_of(place) * segment_bytes_ + offset_in_segment(place) - position(place),
          .bytes = pages_per_record_ * page_bytes,
          .client = &client,
          .tag = tag};
}

Index RowLog::memory_bytes() const { return (buffer_count + 1) * segment_bytes_ + std::ssize(live_) / 8; }

void RowLog::drop(Index place) {
  live_[place] = false;
  --segments_[segment_of(place)].live;
}

Index RowLog::append(Index row, const std::byte* record) {
  if (filling_ < 0) open_segment();
  Segment& segment = segments_[filling_];
  const Index place = filling_ * per_segment_ + used_;
  std::byte* const to = buffer(segment.buffer);
  std::memcpy(to + used_ * Index{sizeof(Index)}, &row, sizeof row);
  std::memcpy(to + offset_in_segment(place), record, record_bytes_);
  live_[place] = true;
  ++segment.live;
  if (++used_ < per_segment_) return place;
  segment.state = State::writing;
  {
    const std::lock_guard lock(mutex_);
    ++writing_;
  }
  written_ += segment_bytes_;
  const IoRequest write{.file = file_.descriptor(),
                        .offset = filling_ * segment_bytes_,
                        .bytes = segment_bytes_,
                        .from = to,
                        .client = this,
                        .tag = filling_};
  queue_.push({&write, 1});
  filling_ = -1;
  return place;
}

/// Makes an idle segment the one to fill.
void RowLog::open_segment() {
  if (!cleaning_) clean();
  if (filling_ >= 0) return;  // cleaning has opened one
  reap(false);
  while (idle_buffers_.empty()) reap(true);
  filling_ = idle_segments_.back();
  idle_segments_.pop_back();
  used_ = 0;
  segments_[filling_] = {State::filling, idle_buffers_.back(), 0};
  idle_buffers_.pop_back();
}

/// Copies the live records of the emptiest segments to the end of the log, until enough segments are idle.
void RowLog::clean() {
  struct Read : IoClient {
    std::mutex mutex;
    std::condition_variable ended;
    bool has_ended = false;
    int error = 0;
    void done(Index, const std::byte*, int failure) override {
      const std::lock_guard lock(mutex);
      error = failure;
      has_ended = true;
      ended.notify_one();
    }
  };
  if (std::ssize(idle_segments_) >= reserve) return;
  owner_.settle();
  cleaning_ = true;
  while (std::ssize(idle_segments_) < reserve) {
    reap(false);
    Index victim = -1;
    for (Index s = 0; s < std::ssize(segments_); ++s)
      if (segments_[s].state == State::full && (victim < 0 || segments_[s].live < segments_[victim].live)) victim = s;
    if (victim < 0) {
      reap(true);
      continue;
    }
    std::byte* const bytes = buffer(buffer_count);
    if (segments_[victim].live > 0) {
      Read read;
      const IoRequest request{.file = file_.descriptor(),
                              .offset = victim * segment_bytes_,
                              .bytes = segment_bytes_,
                              .to = bytes,
                              .client = &read};
      queue_.push({&request, 1});
      std::unique_lock lock(read.mutex);
      read.ended.wait(lock, [&] { return read.has_ended; });
      if (read.error != 0) fail_transfer("read", read.error);
    }
    for (Index r = 0; r < per_segment_; ++r) {
      const Index place = victim * per_segment_ + r;
      if (!live_[place]) continue;
      Index row = 0;
      std::memcpy(&row, bytes + r * Index{sizeof(Index)}, sizeof row);
      const Index to = append(row, bytes + offset_in_segment(place));
      drop(place);
      owner_.moved(row, to);
    }
    segments_[victim].state = State::idle;
    idle_segments_.push_back(victim);
  }
  cleaning_ = false;
}

void RowLog::done(Index segment, const std::byte*, int error) {
  const std::lock_guard lock(mutex_);
  --writing_;
  if (error != 0) error_ = error;
  written_segments_.push_back(segment);
  ended_.notify_all();
}

/// Gives back the buffers of written segments. `blocks`: waits for one if none has been written.
void RowLog::reap(bool blocks) {
  std::unique_lock lock(mutex_);
  if (blocks) ended_.wait(lock, [&] { return !written_segments_.empty() || writing_ == 0; });
  for (const Index s : written_segments_) {
    idle_buffers_.push_back(std::exchange(segments_[s].buffer, -1));
    segments_[s].state = State::full;
  }
  written_segments_.clear();
  if (error_ != 0) fail_transfer("write", error_);
}

void RowLog::fail_transfer(const char* transfer, int error) const {
  fail("table ", name_, ": cannot ", transfer, " its rows in ", folder_, ": ", std::strerror(error),
       "; continue from the last checkpoint");
}

}  // namespace tesserec::tiers
