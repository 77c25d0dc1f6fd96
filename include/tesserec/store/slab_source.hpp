// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <tesserec/core/placed.hpp>

namespace tesserec::store {

/// The rows of one part of a matrix, wherever they lie. Row 0 is the part's first.
class SlabSource {
 public:
  /// `ld`: numbers from one row to the next, where rows lie and where they are copied to.
  explicit SlabSource(Index ld) : ld_(ld) {}
  virtual ~SlabSource() = default;

  Index ld() const { return ld_; }
  /// Returns the address of rows in the host's memory, or null where read and write must copy them.
  virtual float* in_place(Range) const { return nullptr; }
  /// Copies rows [rows.size(), ld] to, and from, the host's memory.
  virtual void read(const Exec& exec, Range rows, float* to) const = 0;
  virtual void write(const Exec& exec, Range rows, const float* from) = 0;

 private:
  Index ld_;
};

/// Makes the source of rows that lie one after the other in one memory.
std::shared_ptr<SlabSource> placed_rows(float* data, Index ld, Place place = Place::host);

}  // namespace tesserec::store
