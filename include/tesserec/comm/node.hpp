// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec::comm {

/// Returns each rank's node, named by its lowest rank: those that share memory by MPI_Comm_split_type. Collective.
std::vector<int> nodes_of_ranks(const Communicator& comm);

/// The ranks of each node when all nodes have as many and hold consecutive ranks, else 1 (each rank counts as a node).
int ranks_per_node(std::span<const int> nodes);
inline int ranks_per_node(const Communicator& comm) { return ranks_per_node(nodes_of_ranks(comm)); }

/// The ranks of this rank's node, and those with its place in all nodes.
class Node {
 public:
  /// Collective; ranks [k * ranks_per_node, (k+1) * ranks_per_node) of `comm` are node k.
  Node(const Communicator& comm, int ranks_per_node)
      : ranks_(comm, comm.rank() / ranks_per_node), across_(comm, comm.rank() % ranks_per_node) {}

  const Communicator& ranks() const { return ranks_; }
  const Communicator& across() const { return across_; }
  /// Returns this rank's part of n floats on which the ranks of the node work once for all: whole cache lines.
  Range share(Index n) const { return {border(n, ranks_.rank()), border(n, ranks_.rank() + 1)}; }

 private:
  Index border(Index n, int rank) const { return rank == ranks_.size() ? n : n * rank / ranks_.size() / 16 * 16; }

  Communicator ranks_, across_;
};

/// Floats that all ranks of a node read and write: POSIX shared memory, which loses its name as soon as all have opened
/// it, so that nothing is left behind however a rank ends. What one rank wrote, another reads after a barrier.
class NodeMemory {
 public:
  /// None.
  NodeMemory() = default;
  /// Takes `size` floats, each rank of `node` its part, in order, from the memory near it. Collective. On all ranks
  /// empty, with a warning, where one cannot have its part or see the others': a small /dev/shm, a container a rank.
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
