// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "io_queue.hpp"

namespace tesserec::tiers {

/// Buffers of segments, and their writes to a file.
class SegmentWriter : private IoClient {
 public:
  SegmentWriter(IoQueue& queue, int file, Index segment_bytes);
  /// Blocks until all writes have ended.
  ~SegmentWriter() override;

  /// Returns the address of a buffer of a segment.
  std::byte* at(int buffer) const { return buffers_.get() + buffer * segment_bytes_; }
  /// Returns an idle buffer, or -1 if all are being filled or written.
  int take();
  /// Starts to write a buffer as a segment. The buffer is busy until ended() returns the segment, for ever if the write
  /// fails: the records are nowhere else.
  void write(Index segment, int buffer);
  struct Written {
    Index segment;
    int buffer;
  };
  /// Returns the writes that have succeeded since the last call. Their buffers are idle. `waits`: blocks until one has,
  /// unless none is in flight.
  std::vector<Written> ended(bool waits);
  /// Reads a segment into a buffer that is never taken, and blocks. Returns an errno, 0 = success.
  int read(Index segment);
  const std::byte* last_read() const { return at(count); }

  /// Returns the errno of the first failed write, or 0.
  int error();
  Index bytes() const { return (count + 1) * segment_bytes_; }

  static constexpr int count = 4;  ///< buffers: one is filled while others are written

 private:
  void done(Index tag, const std::byte* data, int error) override;

  IoQueue& queue_;
  int file_;
  Index segment_bytes_;
  std::unique_ptr<std::byte[], void (*)(void*)> buffers_;
  std::vector<int> idle_;

  // Shared with the queue's threads.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Written> written_;
  int writing_ = 0, error_ = 0;
  int read_error_ = -1;  // of read(); -1 = the read has not ended
};

}  // namespace tesserec::tiers
