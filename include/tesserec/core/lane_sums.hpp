// SPDX-License-Identifier: Apache-2.0
/// Sums over a rank's lanes by the fixed tree.
#pragma once

#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/placed.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec {

/// Sum of one vector per lane, by the fixed tree over a run of lanes. It reuses about log2(lanes) buffers.
class LaneSums {
 public:
  /// Takes the length [floats] of the vectors and their place.
  LaneSums(const Exec& exec, Index length, Place place = Place::host) : exec_(exec), length_(length), place_(place) {}

  /// Starts a new sum over a run of lanes.
  void start(Range lanes);
  /// Allocates the buffers that a run of so many lanes needs. next() then allocates none and may be called from another
  /// thread.
  void reserve(Index lanes);
  /// Adds a buffer, used before the object's own. sum(0) uses the buffer added last, sum(1) the buffer before it.
  /// Not for runs that call absorb().
  void add_buffer(const Vector<float>& buffer) { free_.push_back(buffer); }
  /// Returns the vector of a lane, uninitialized, to be written before the next call. Lanes must be distinct and
  /// ascending.
  PlacedVector<float> next(Index lane);
  /// Makes the additions that are left after the last lane. The sums of whole subtrees remain.
  void finish();
  /// Appends a finished run of the lanes that follow, such as another thread's. Leaves `run` empty.
  void absorb(LaneSums& run);

  Index length() const { return length_; }
  Place place() const { return place_; }
  /// Returns the number of remaining sums, which are in lane order.
  int count() const { return order_.size(); }
  /// Returns a lane below the subtree of sum i.
  Index leaf(int i) const { return order_.leaf(i); }
  const PlacedVector<float>& sum(int i) const { return slots_[i]; }

 private:
  PlacedVector<float> make_buffer() const { return {exec_, place_, "tesserec::core::lane_sum", length_}; }
  void push(Index leaf, const PlacedVector<float>& vector);
  void merge(int into, int from);
  /// Takes the vector out of a slot. A reference left there might free memory in a worker thread, which Kokkos forbids.
  PlacedVector<float> take(int slot);

  Exec exec_;
  Index length_;
  Place place_;
  TreeOrder order_{whole_tree};
  std::vector<PlacedVector<float>> slots_;
  std::vector<PlacedVector<float>> free_;
};

/// Adds b to a: a[i] += b[i].
void add_floats(float* a, const float* b, Index n);

}  // namespace tesserec
