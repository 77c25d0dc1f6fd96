// SPDX-License-Identifier: Apache-2.0
/// Sums over lanes by the fixed tree, inside a rank and over all ranks.
#pragma once

#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec::comm {

/// Vectors of one length, one a lane, added by the fixed tree restricted to a run of lanes as they arrive. At most
/// about log2(lanes) buffers are alive, and they are used again step after step.
class LaneSums {
 public:
  /// For vectors of `length` floats.
  explicit LaneSums(Index length) : length_(length) {}

  /// Starts a new sum over a run of lanes.
  void start(Range lanes);
  /// Allocates what a run of so many lanes needs, so that take() need not: it may then be called from another thread.
  void reserve(const Exec& exec, Index lanes);
  /// A buffer for the next lane's vector; its content is undefined.
  Vector<float> take(const Exec& exec);
  /// Adds a lane's vector; lanes come in ascending order, every lane of the run once.
  void push(Index lane, const Vector<float>& vector);
  /// After the last lane: what is left are the sums of whole subtrees.
  void finish();
  /// Appends a finished run that follows this one (another thread's lanes); `run` is left empty.
  void absorb(LaneSums& run);

  Index length() const { return length_; }
  /// The sums left, in lane order; `leaf` is a lane below the subtree.
  int count() const { return order_.size(); }
  Index leaf(int i) const { return order_.leaf(i); }
  const Vector<float>& sum(int i) const { return slots_[i]; }

 private:
  void merge(int into, int from);
  /// Empties a slot: what it would go on holding might be freed by a thread, where Kokkos cannot free.
  Vector<float> leave(int slot);

  Index length_;
  TreeOrder order_{whole_tree};
  std::vector<Vector<float>> slots_;
  std::vector<Vector<float>> free_;
};

/// Adds a[i] += b[i].
void add(float* a, const float* b, Index n);

/// The sum over all lanes of all ranks, the same bits on every rank and for any number of ranks: each rank adds one
/// piece of the vector by the tree, then the pieces are gathered. 2 * length * (W-1)/W floats leave a rank when W is
/// a power of two. `total` has the sums' length.
void tree_reduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, const LaneSums& sums,
                 const Vector<float>& total);

/// The same for one double a lane: `mine` holds this rank's lanes in order.
double tree_reduce(const Communicator& comm, const std::vector<double>& mine);

}  // namespace tesserec::comm
