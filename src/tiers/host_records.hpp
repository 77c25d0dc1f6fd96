// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::tiers {

/// Records of equal size in host memory, which grows by chunks. A record's place is its index.
class HostRecords {
 public:
  /// Takes the most records that are live at once. `table`: its name, for messages.
  HostRecords(const std::string& table, Index record_bytes, Index records)
      : table_(table),
        record_bytes_(record_bytes),
        per_chunk_(std::clamp<Index>(chunk_bytes / record_bytes, 1, std::max<Index>(1, records))) {}

  /// Returns the place of a new record. Throws Error if the memory does not suffice.
  Index take(const Exec& exec) {
    if (!idle_.empty()) {
      const Index place = idle_.back();
      idle_.pop_back();
      return place;
    }
    if (taken_ == std::ssize(chunks_) * per_chunk_) {
      const Index bytes = per_chunk_ * record_bytes_;
      with_memory(
          [&] { return concat("rows of table ", table_, " in host memory, after ", bytes_text(this->bytes())); },
          double(bytes),
          [&] { chunks_.push_back(make_vector<std::byte>(exec, "tesserec::tiers::records " + table_, bytes)); });
    }
    return taken_++;
  }
  void drop(Index place) { idle_.push_back(place); }
  std::byte* at(Index place) const { return chunks_[place / per_chunk_].data() + place % per_chunk_ * record_bytes_; }
  double bytes() const { return double(std::ssize(chunks_)) * double(per_chunk_ * record_bytes_); }

 private:
  static constexpr Index chunk_bytes = 16 << 20;  // several huge pages

  std::string table_;
  Index record_bytes_, per_chunk_, taken_ = 0;
  std::vector<Vector<std::byte>> chunks_{};
  std::vector<Index> idle_{};  // places of dropped records
};

}  // namespace tesserec::tiers
