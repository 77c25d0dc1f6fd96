// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "record_layout.hpp"
#include "scratch_file.hpp"
#include "segment_writer.hpp"

namespace tesserec::tiers {

/// Calls of a log to the owner of its records.
struct LogOwner {
  std::function<void()> settle;                       ///< ends the reads in flight, before records move
  std::function<void(Index row, Index place)> moved;  ///< takes the new place of a live record
};

/// Log of records of equal size in a scratch file. A new version of a record is appended, because sequential writes
/// need no reads. Segments with few live records are copied to the end of the log and reused (Rosenblum and Ousterhout,
/// The Design and Implementation of a Log-Structured File System, 1992). One thread uses the log.
class RowLog {
 public:
  /// Records live at once are at most `records`. `table`: its name, for messages. Throws Error as ScratchFile does.
  RowLog(const std::string& folder, const std::string& table, Index record_bytes, Index records, IoQueue& queue,
         LogOwner owner);

  /// Appends a record of a row and returns its place. May block for a transfer. Throws Error if a write has failed.
  Index append(Index row, const std::byte* record);
  /// Declares a record as outdated.
  void drop(Index place);
  /// Returns the address of a record that has not been written yet, or null.
  const std::byte* in_memory(Index place) const;
  /// Returns the request that reads a record, which begins at layout().offset_in_page(place) of the bytes read.
  IoRequest read(Index place, IoClient& client, Index tag) const;
  [[noreturn]] void fail_read(int error) const;

  const RecordLayout& layout() const { return layout_; }
  Index file_bytes() const { return file_.bytes(); }
  Index bytes_written() const { return written_ * layout_.segment_bytes(); }
  bool direct() const { return file_.direct(); }
  Index memory_bytes() const { return writer_.bytes() + std::ssize(live_) / 8; }

 private:
  enum class SegmentState { idle, filling, writing, full };
  struct LogSegment {
    SegmentState state = SegmentState::idle;
    int buffer = -1;  // of the writer, until the segment is written
    Index live = 0;
  };

  void open_segment();
  void clean();
  void copy_live(Index segment);
  void reap(bool waits);
  [[noreturn]] void fail_transfer(const char* transfer, int error) const;

  std::string folder_, table_;
  RecordLayout layout_;
  std::vector<LogSegment> segments_;
  ScratchFile file_;
  SegmentWriter writer_;
  LogOwner owner_;
  std::vector<bool> live_;  // [place]
  std::vector<Index> idle_;
  Index filling_ = -1, used_ = 0;  // segment to which records are appended, and its records
  Index written_ = 0;              // segments written so far
  bool cleaning_ = false;
};

}  // namespace tesserec::tiers
