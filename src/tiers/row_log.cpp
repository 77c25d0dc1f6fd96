// SPDX-License-Identifier: Apache-2.0
#include "row_log.hpp"

#include <cstring>
#include <utility>

#include <tesserec/core/error.hpp>

namespace tesserec::tiers {
namespace {

constexpr Index reserve = 2;   // idle segments that cleaning needs to make progress
constexpr double spare = 0.5;  // share of the records by which the file is larger

}  // namespace

RowLog::RowLog(const std::string& folder, const std::string& table, Index record_bytes, Index records, IoQueue& queue,
               LogOwner owner)
    : folder_(folder),
      table_(table),
      layout_(record_bytes, records),
      segments_(Index(double(records) * (1 + spare)) / layout_.records_per_segment() + reserve + SegmentWriter::count),
      file_(folder, "the rows of table " + table, std::ssize(segments_) * layout_.segment_bytes()),
      writer_(queue, file_.descriptor(), layout_.segment_bytes()),
      owner_(std::move(owner)),
      live_(std::ssize(segments_) * layout_.records_per_segment()) {
  for (Index segment = std::ssize(segments_) - 1; segment >= 0; --segment) idle_.push_back(segment);
}

const std::byte* RowLog::in_memory(Index place) const {
  const int buffer = segments_[layout_.segment(place)].buffer;
  return buffer < 0 ? nullptr : writer_.at(buffer) + layout_.offset(place);
}

IoRequest RowLog::read(Index place, IoClient& client, Index tag) const {
  const Index page = layout_.offset(place) - layout_.offset_in_page(place);
  return {.file = file_.descriptor(),
          .offset = layout_.segment(place) * layout_.segment_bytes() + page,
          .bytes = layout_.read_bytes(),
          .from = nullptr,
          .to = nullptr,
          .client = &client,
          .tag = tag};
}

void RowLog::drop(Index place) {
  live_[place] = false;
  --segments_[layout_.segment(place)].live;
}

Index RowLog::append(Index row, const std::byte* record) {
  if (filling_ < 0) open_segment();
  LogSegment& segment = segments_[filling_];
  const Index place = filling_ * layout_.records_per_segment() + used_;
  std::byte* const to = writer_.at(segment.buffer);
  std::memcpy(to + used_ * Index{sizeof(Index)}, &row, sizeof row);
  std::memcpy(to + layout_.offset(place), record, layout_.record_bytes());
  live_[place] = true;
  ++segment.live;
  if (++used_ < layout_.records_per_segment()) return place;
  segment.state = SegmentState::writing;
  writer_.write(filling_, segment.buffer);
  ++written_;
  filling_ = -1;
  return place;
}

/// Makes an idle segment the one to fill.
void RowLog::open_segment() {
  if (!cleaning_) clean();
  if (filling_ >= 0) return;  // cleaning has opened one
  reap(false);
  int buffer = writer_.take();
  for (; buffer < 0; buffer = writer_.take()) reap(true);
  filling_ = idle_.back();
  idle_.pop_back();
  used_ = 0;
  segments_[filling_] = {SegmentState::filling, buffer, 0};
}

/// Makes enough segments idle, the emptiest first.
void RowLog::clean() {
  if (std::ssize(idle_) >= reserve) return;
  owner_.settle();
  cleaning_ = true;
  const struct End {  // also by an error, after which a caller may append again
    bool& cleaning;
    ~End() { cleaning = false; }
  } end{cleaning_};
  while (std::ssize(idle_) < reserve) {
    reap(false);
    Index emptiest = -1;
    for (Index s = 0; s < std::ssize(segments_); ++s)
      if (segments_[s].state == SegmentState::full && (emptiest < 0 || segments_[s].live < segments_[emptiest].live))
        emptiest = s;
    if (emptiest < 0) {
      reap(true);
      continue;
    }
    if (segments_[emptiest].live > 0) copy_live(emptiest);
    segments_[emptiest].state = SegmentState::idle;
    idle_.push_back(emptiest);
  }
}

/// Copies the live records of a segment to the end of the log.
void RowLog::copy_live(Index segment) {
  if (const int error = writer_.read(segment); error != 0) fail_transfer("read", error);
  const std::byte* const bytes = writer_.last_read();
  for (Index r = 0; r < layout_.records_per_segment(); ++r) {
    const Index place = segment * layout_.records_per_segment() + r;
    if (!live_[place]) continue;
    Index row = 0;
    std::memcpy(&row, bytes + r * Index{sizeof(Index)}, sizeof row);
    const Index to = append(row, bytes + layout_.offset(place));
    drop(place);
    owner_.moved(row, to);
  }
}

/// Takes note of written segments. `waits`: blocks until a segment has been written.
void RowLog::reap(bool waits) {
  for (const SegmentWriter::Written& written : writer_.ended(waits)) {
    segments_[written.segment].buffer = -1;
    segments_[written.segment].state = SegmentState::full;
  }
  if (const int error = writer_.error(); error != 0) fail_transfer("write", error);
}

void RowLog::fail_read(int error) const { fail_transfer("read", error); }

void RowLog::fail_transfer(const char* transfer, int error) const {
  fail("table ", table_, ": cannot ", transfer, " its rows in ", folder_, ": ", std::strerror(error),
       "; continue from the last checkpoint");
}

}  // namespace tesserec::tiers
