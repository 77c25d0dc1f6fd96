// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io_queue.hpp"
#include "scratch_file.hpp"

namespace tesserec::tiers {

/// Calls of a log to the owner of its records.
struct LogOwner {
  std::function<void()> settle;                       ///< ends the reads in flight, before records move
  std::function<void(Index row, Index place)> moved;  ///< takes the new place of a live record
};

/// Log of records of equal size in a scratch file. A new version of a record is appended, because sequential writes
/// need no reads. Segments with few live records are copied to the end of the log and reused (Rosenblum and Ousterhout,
/// The Design and Implementation of a Log-Structured File System, 1992). A record's place is an index into the file.
/// No record straddles two pages unless it is larger than a page. One thread uses the log.
class RowLog : private IoClient {
 public:
  /// Records live at once are at most `records`. `name`: of the table, for messages. Throws Error as ScratchFile does.
  RowLog(const std::string& folder, const std::string& name, Index record_bytes, Index records, IoQueue& queue,
         LogOwner owner);
  /// Blocks until all transfers have ended.
  ~RowLog() override;

  /// Appends a record of a row and returns its place. May block for a transfer. Throws Error if a write has failed.
  Index append(Index row, const std::byte* record);
  /// Declares a record as outdated.
  void drop(Index place);
  /// Returns the address of a record that has not been written yet, or null.
  const std::byte* in_memory(Index place) const;
  /// Returns the request that reads a record, whose bytes begin at position(place) of the bytes read.
  IoRequest read(Index place, IoClient& client, Index tag) const;
  Index position(Index place) const;
  Index record_bytes() const { return record_bytes_; }

  bool direct() const { return file_.direct(); }
  Index file_bytes() const { return file_.bytes(); }
  Index memory_bytes() const;
  /// Returns the bytes written so far, records copied between segments included.
  Index written_bytes() const { return written_; }

 private:
  enum class State { idle, filling, writing, full };
  struct Segment {
    State state = State::idle;
    int buffer = -1;  // index among buffers_, until the segment is written
    Index live = 0;
  };

  Index segment_of(Index place) const { return place / per_segment_; }
  Index offset_in_segment(Index place) const;
  std::byte* buffer(int index) { return buffers_.get() + index * segment_bytes_; }
  void done(Index segment, const std::byte* data, int error) override;
  void open_segment();
  void clean();
  void reap(bool blocks);
  [[noreturn]] void fail_transfer(const char* transfer, int error) const;

  std::string folder_, name_;
  Index record_bytes_, per_page_, pages_per_record_, per_segment_, header_bytes_, segment_bytes_;
  std::vector<Segment> segments_;
  ScratchFile file_;
  IoQueue& queue_;
  LogOwner owner_;
  std::vector<bool> live_;                                 // [place]
  std::unique_ptr<std::byte[], void (*)(void*)> buffers_;  // the last one for cleaning
  std::vector<int> idle_buffers_;
  std::vector<Index> idle_segments_;
  Index filling_ = -1, used_ = 0;  // segment to which records are appended, and its records
  bool cleaning_ = false;
  Index written_ = 0;

  // Shared with the queue's thread.
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<Index> written_segments_;
  int writing_ = 0;
  int error_ = 0;
};

}  // namespace tesserec::tiers
