// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "io_queue.hpp"

namespace tesserec::tiers {

/// Layout of a log: segments of equal size, each with the numbers of its rows, then records. No record straddles two
/// pages unless it is larger than a page. A record's place is its index among the records of all segments.
class RecordLayout {
 public:
  /// Takes the number of records that are live at once. A segment has a sixteenth of their bytes, up to 1 MiB.
  RecordLayout(Index record_bytes, Index records)
      : record_bytes_(record_bytes),
        per_page_(std::max<Index>(1, page_bytes / record_bytes)),
        pages_(round_up(record_bytes) / page_bytes),
        per_segment_(
            std::max<Index>(8, wanted_segment_bytes(record_bytes * records) / (pages_ * page_bytes) * per_page_)) {}

  Index record_bytes() const { return record_bytes_; }
  Index records_per_segment() const { return per_segment_; }
  Index header_bytes() const { return round_up(per_segment_ * Index{sizeof(Index)}); }
  Index segment_bytes() const {
    return header_bytes() + (per_segment_ + per_page_ - 1) / per_page_ * pages_ * page_bytes;
  }
  /// Returns the bytes to read for one record.
  Index read_bytes() const { return pages_ * page_bytes; }

  Index segment(Index place) const { return place / per_segment_; }
  /// Returns the offset of a record in its segment [bytes].
  Index offset(Index place) const {
    const Index record = place % per_segment_;
    return header_bytes() + record / per_page_ * pages_ * page_bytes + record % per_page_ * record_bytes_;
  }
  /// Returns the offset of a record in its first page [bytes].
  Index offset_in_page(Index place) const { return place % per_segment_ % per_page_ * record_bytes_; }

 private:
  /// Returns 16 pages to 1 MiB, with which the time of a write is that of its bytes.
  static Index wanted_segment_bytes(Index all_bytes) {
    return std::clamp(all_bytes / 16, 16 * page_bytes, Index{1} << 20);
  }
  static Index round_up(Index bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

  Index record_bytes_, per_page_, pages_, per_segment_;
};

}  // namespace tesserec::tiers
