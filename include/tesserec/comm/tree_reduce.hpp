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

/// Sum of one vector of floats per lane, over the lanes of all ranks.
///
/// The ranks of a node keep the sums of their lanes in shared memory, and each rank adds one piece of the vector in
/// place. Ranks with the same piece then add the nodes' sums by messages: each adds one share of the piece, and the
/// shares are gathered. With N nodes of R ranks, N a power of two, 2 * length / R * (N-1)/N floats leave a rank. Ranks
/// without shared memory count as nodes of their own. Each micro-batch is added so once its lanes are complete. The
/// sums of the micro-batches, one piece per rank, are added by the same tree, one after the other.
class TreeReduce {
 public:
  /// Allocates the buffers for vectors of `length` floats. The total lies at `place`; on devices each rank adds one
  /// share of the vector. Collective.
  TreeReduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, Index length, Place place = Place::host);
  /// Allocates likewise for given nodes: ranks [k * ranks_per_node, (k+1) * ranks_per_node) share memory, if the system
  /// lets them.
  TreeReduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, Index length, int ranks_per_node,
             Place place = Place::host);
  ~TreeReduce();

  /// Returns the sums to which this rank adds the lanes of a micro-batch. Invalidates the last total. Collective.
  LaneSums& lane_sums();
  /// Adds the lanes of a micro-batch over all ranks. Returns the total after the last micro-batch, valid until the next
  /// lane_sums(); earlier micro-batches return an empty vector. Collective.
  PlacedVector<float> operator()(int micro_batch = 0);

  /// Returns the number of ranks that share memory; 1 on devices or if the system refused shared memory.
  int ranks_per_node() const { return node_ ? node_->ranks().size() : 1; }

 private:
  /// Sums of whole subtrees, named by a lane below each, and those left once a run of lanes has been added up.
  struct Additions {
    Additions() = default;
    Additions(const std::vector<Index>& leaves, Range lanes);
    /// Adds in place: sums[i] is the sum of leaf i, [length]. The sums in `remaining` stay.
    void operator()(const Exec& exec, const std::vector<float*>& sums, Index length) const;

    std::vector<std::pair<int, int>> pairs;  // into the first, in order
    std::vector<int> remaining;
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
  NodeMemory memory_;              // max_sums_ sums of each rank, if several ranks are on a node
  Index max_sums_ = 0;             // sums that a rank is left with
  std::vector<float*> node_sums_;  // sums of all ranks of this node
  Additions of_ranks_, of_nodes_;
  std::vector<Index> sums_of_node_;           // number of sums left, [node]
  Vector<float> total_;                       // total if several nodes have one rank each
  std::unique_ptr<DeviceReduce> of_devices_;  // sum on devices of several ranks; it uses sums_ alone
  std::optional<LaneSums> of_micro_batches_;  // this rank's piece, where there are several; a micro-batch is a leaf
};

/// Adds one double per lane over the lanes of a micro-batch by the fixed tree; `lane_values` holds this rank's lanes in
/// order. Collective.
double tree_reduce(const Communicator& comm, const Lanes& lanes, const std::vector<double>& lane_values);

/// Adds n floats over the ranks by MPI_Allreduce, in place. The bits depend on the number of ranks, so only tesserec
/// bench uses it. Collective.
void unordered_sum(const Communicator& comm, float* values, Index n);

}  // namespace tesserec::comm
