// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// Floats that all ranks of a node read and write: POSIX shared memory, which loses its name as soon as all have opened
/// it, so that nothing is left behind however a rank ends. What one rank wrote, another reads after a barrier.
class NodeMemory {
 public:
  /// None.
  NodeMemory() = default;
  /// `size` floats, of which each rank of `node` takes a part, in order, from the memory near it. Collective. None on
  /// all ranks, with a warning, where one is refused its part or cannot see the others': a small /dev/shm, a container
  /// for each rank.
  NodeMemory(const Communicator& node, Index size);
  ~NodeMemory();
  NodeMemory(NodeMemory&& other) noexcept;
  NodeMemory& operator=(NodeMemory&& other) noexcept;

  explicit operator bool() const { return data_ != nullptr; }
  /// The first of them, on a page of its own.
  float* data() const { return data_; }

 private:
  void unmap();

  float* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tesserec::comm
