// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec::comm {

/// Returns the node of each rank, named by the node's lowest rank. The ranks of a node share memory
/// (MPI_Comm_split_type). Collective.
std::vector<int> nodes_of_ranks(const Communicator& comm);

/// Returns the number of ranks per node if all nodes have equally many, consecutive ranks; else 1, and each rank counts
/// as a node. `nodes` comes from nodes_of_ranks().
int ranks_per_node(std::span<const int> nodes);
/// Returns the number of ranks per node of `comm`. Collective.
inline int ranks_per_node(const Communicator& comm) { return ranks_per_node(nodes_of_ranks(comm)); }

/// Communicators of the ranks of this rank's node, and of the ranks with its place across all nodes.
class Node {
 public:
  /// Splits `comm`: its ranks [k * ranks_per_node, (k+1) * ranks_per_node) are node k. Collective.
  Node(const Communicator& comm, int ranks_per_node)
      : ranks_(comm, comm.rank() / ranks_per_node), across_(comm, comm.rank() % ranks_per_node) {}

  const Communicator& ranks() const { return ranks_; }
  const Communicator& across() const { return across_; }
  /// Returns this rank's share of n floats that the ranks of the node divide among them. A share begins at a whole
  /// cache line of 16 floats.
  Range share(Index n) const { return {border(n, ranks_.rank()), border(n, ranks_.rank() + 1)}; }

 private:
  Index border(Index n, int rank) const { return rank == ranks_.size() ? n : n * rank / ranks_.size() / 16 * 16; }

  Communicator ranks_, across_;
};

/// POSIX shared memory of floats that all ranks of a node read and write. The memory loses its name as soon as all
/// ranks have opened it, so that nothing is left behind however a rank ends. One rank sees another's writes after a
/// barrier.
class NodeMemory {
 public:
  /// Holds no memory.
  NodeMemory() = default;
  /// Allocates `size` floats; each rank of `node` allocates its share, in rank order, from the memory near it. Holds no
  /// memory on any rank, and logs a warning, if one rank cannot allocate its share or open the others' (a small
  /// /dev/shm, a container per rank). Collective.
  NodeMemory(const Communicator& node, Index size);
  ~NodeMemory();
  NodeMemory(NodeMemory&& other) noexcept;
  NodeMemory& operator=(NodeMemory&& other) noexcept;

  explicit operator bool() const { return data_ != nullptr; }
  /// Returns the first float, which is page-aligned; null without memory.
  float* data() const { return data_; }

 private:
  void unmap();

  float* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tesserec::comm
