// SPDX-License-Identifier: Apache-2.0
/// Sums over the lanes of all ranks by the fixed tree: the same bits on every rank and for any number of ranks.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/comm/node.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/core/lanes.hpp>

namespace tesserec::comm {

class DeviceReduce;

/// Adds a vector of floats a lane. The ranks of a node have the sums of their lanes in memory that all of them see, and
/// each adds one piece of the vector where it lies. Ranks with the same piece then add the nodes' sums by messages:
/// each adds one part of the piece, and the parts are gathered. With N nodes of R ranks, N a power of two, 2 * length /
/// R * (N-1)/N floats leave a rank. Where ranks share no memory, each is a node. Of a batch in micro-batches, each is
/// added so when its lanes are there, and their sums, a piece on each rank, by the same tree as they come.
class TreeReduce {
 public:
  /// Adds vectors of `length` floats; the total lies at `place`. On devices each rank adds a part. Collective.
  TreeReduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, Index length, Place place = Place::host);
  /// Ranks [k * ranks_per_node, (k+1) * ranks_per_node) share memory, if the system lets them.
  TreeReduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, Index length, int ranks_per_node,
             Place place = Place::host);
  ~TreeReduce();

  /// Returns the sums to which this rank adds the lanes of a micro-batch. The last total is read no more. Collective.
  LaneSums& lane_sums();
  /// Returns the total after the last micro-batch, valid until the next lane_sums(); before, nothing. Collective.
  PlacedVector<float> operator()(int micro_batch = 0);

  /// Ranks that share memory here; 1 where the system refused it.
  int ranks_per_node() const { return node_ ? node_->ranks().size() : 1; }

 private:
  /// Sums of whole subtrees, named by a lane below each, and those left once a run of lanes has been added up.
  struct Additions {
    Additions() = default;
    Additions(const std::vector<Index>& leaves, Range lanes);
    /// sums[i] is that of leaf i, [length]; those in `left` stay, added to.
    void operator()(const Exec& exec, const std::vector<float*>& sums, Index length) const;

    std::vector<std::pair<int, int>> pairs;  // into the first, in order
    std::vector<int> left;
  };

  /// Returns the place of sum i of a rank of the node.
  float* shared_sum(int rank, Index i) const;
  /// Returns whether no copy into the node's memory would overwrite one of this rank's sums that lies there.
  bool in_place() const;
  /// Adds the sums of the node's ranks.
  void add_ranks();
  /// Adds this rank's piece of all nodes into `total`.
  void add_nodes(Range piece, float* total);
  /// Adds all micro-batches, after the last.
  void add_micro_batches(int micro_batch, Range piece, float* total);

  Exec exec_;
  int micro_batches_;
  std::optional<Node> node_;
  LaneSums sums_;
  NodeMemory memory_;              // where several ranks are on a node: most_ sums of each
  Index most_ = 0;                 // sums that a rank is left with
  std::vector<float*> node_sums_;  // of all ranks of this node
  Additions of_ranks_, of_nodes_;
  std::vector<Index> sums_of_node_;           // their number, [node]
  Vector<float> total_;                       // where several nodes have one rank each
  std::unique_ptr<DeviceReduce> of_devices_;  // of several ranks; then nothing but sums_ stands beside it
  std::optional<LaneSums> of_micro_batches_;  // this rank's piece, where there are several; a micro-batch is a leaf
};

/// The sum over a micro-batch's lanes of one double a lane: `mine` holds this rank's lanes in order.
double tree_reduce(const Communicator& comm, const Lanes& lanes, const std::vector<double>& mine);

/// Adds over the ranks by MPI's own sum, in place, with bits that depend on their number: for tesserec bench alone.
void unordered_sum(const Communicator& comm, float* values, Index n);

}  // namespace tesserec::comm
