// SPDX-License-Identifier: Apache-2.0
/// Sums over the lanes of a rank by the fixed tree.
#pragma once

#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/placed.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec {

/// Sum of vectors, one a lane, by the fixed tree over a run of lanes, in about log2(lanes) reused buffers.
class LaneSums {
 public:
  /// For vectors of `length` floats, which lie at `place`.
  LaneSums(const Exec& exec, Index length, Place place = Place::host) : exec_(exec), length_(length), place_(place) {}

  /// Starts a new sum over a run of lanes.
  void start(Range lanes);
  /// Allocates what a run of so many lanes needs, so that next() need not: it may then be called from another thread.
  void reserve(Index lanes);
  /// Lends a buffer, used before those made here: sum(0) uses the last one lent, and so on. Not for runs that absorb.
  void lend(const Vector<float>& buffer) { free_.push_back(buffer); }
  /// Returns the vector of a lane, content undefined, to be written before the next call. Lanes come once, ascending.
  PlacedVector<float> next(Index lane);
  /// After the last lane: what is left are the sums of whole subtrees.
  void finish();
  /// Appends a finished run that follows this one (another thread's lanes); `run` is left empty.
  void absorb(LaneSums& run);

  Index length() const { return length_; }
  Place place() const { return place_; }
  /// The sums left, in lane order; `leaf` is a lane below the subtree.
  int count() const { return order_.size(); }
  Index leaf(int i) const { return order_.leaf(i); }
  const PlacedVector<float>& sum(int i) const { return slots_[i]; }

 private:
  PlacedVector<float> made() const { return {exec_, place_, "tesserec::core::lane_sum", length_}; }
  void push(Index leaf, const PlacedVector<float>& vector);
  void merge(int into, int from);
  /// Empties a slot: what it would go on holding might be freed by a thread, where Kokkos cannot free.
  PlacedVector<float> leave(int slot);

  Exec exec_;
  Index length_;
  Place place_;
  TreeOrder order_{whole_tree};
  std::vector<PlacedVector<float>> slots_;
  std::vector<PlacedVector<float>> free_;
};

/// Adds a[i] += b[i].
void add_floats(float* a, const float* b, Index n);

}  // namespace tesserec
