// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// Floats of each rank of a node that all its ranks read and write: POSIX shared memory, which loses its name as soon
/// as all have opened it, so that nothing is left behind however a rank ends. What one rank wrote, another reads after
/// a barrier.
class NodeMemory {
 public:
  NodeMemory() = default;
  /// `size` floats of every rank of `node`, rounded up to whole pages, near the rank that they are of. Collective.
  NodeMemory(const Communicator& node, Index size);
  ~NodeMemory();
  NodeMemory(NodeMemory&& other) noexcept;
  NodeMemory& operator=(NodeMemory&& other) noexcept;

  /// False on all ranks where any of them was refused its memory, or does not see another's (a small /dev/shm; ranks in
  /// containers of their own).
  explicit operator bool() const { return !begin_.empty(); }
  /// First float of a rank.
  float* of(int rank) const { return begin_[static_cast<std::size_t>(rank)]; }

 private:
  void unmap();

  std::vector<float*> begin_;  // [rank]
  std::size_t bytes_ = 0;      // of each
};

}  // namespace tesserec::comm
