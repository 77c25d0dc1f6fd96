// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <tesserec/core/placed.hpp>

namespace tesserec::store {

/// Rows of one part of a matrix, in any memory. Row 0 is the part's first row.
class SlabSource {
 public:
  /// Takes `ld`, the numbers from one row to the next, both in the source and in its copies.
  explicit SlabSource(Index ld) : ld_(ld) {}
  virtual ~SlabSource() = default;

  Index ld() const { return ld_; }
  /// Returns the address of rows in host memory; null if read() and write() must copy them.
  virtual float* in_place(Range) const { return nullptr; }
  /// Returns whether write() may round the numbers, so that checksums must be those of the file's.
  virtual bool rounds() const { return false; }
  /// Copies rows, [rows.size(), ld], to host memory (read) or from it (write).
  virtual void read(const Exec& exec, Range rows, float* to) const = 0;
  virtual void write(const Exec& exec, Range rows, const float* from) = 0;

 private:
  Index ld_;
};

/// Makes the source of rows that lie one after the other at `place`. The rows must outlive the source.
std::shared_ptr<SlabSource> placed_rows(float* data, Index ld, Place place = Place::host);

}  // namespace tesserec::store
