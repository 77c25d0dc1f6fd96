// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <numeric>

#include "device_reduce.hpp"
#include <tesserec/comm/tree_reduce.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec::comm {
namespace {

constexpr Index floats_per_task = 4096;  // 16 KiB of each sum, so that both operands stay in the L1 cache

/// Rounds up to whole cache lines (16 floats), so that no two sums share one.
Index padded(Index length) { return (length + 15) / 16 * 16; }

void append(std::vector<Index>& to, const std::vector<Index>& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

std::vector<Index> leaves_of(Range lanes) {
  std::vector<Index> leaves;
  TreeOrder order(lanes);
  const auto nothing = [](int, int) {};
  for (Index lane = lanes.begin; lane < lanes.end; ++lane) order.push(lane, nothing);
  order.finish(nothing);
  for (int i = 0; i < order.size(); ++i) leaves.push_back(order.leaf(i));
  return leaves;
}

TreeReduce::Additions::Additions(const std::vector<Index>& leaves, Range lanes) {
  TreeOrder order(lanes);
  std::vector<int> in_slot(TreeOrder::max_slots);
  const auto merge = [&](int into, int from) { pairs.emplace_back(in_slot[into], in_slot[from]); };
  for (std::size_t i = 0; i < leaves.size(); ++i) in_slot[order.push(leaves[i], merge)] = i;
  order.finish(merge);
  remaining.assign(in_slot.begin(), in_slot.begin() + order.size());
}

void TreeReduce::Additions::operator()(const Exec& exec, const std::vector<float*>& sums, Index length) const {
  if (pairs.empty()) return;
  parallel_for(exec, "tesserec::comm::tree_reduce", (length + floats_per_task - 1) / floats_per_task, [&](Index task) {
    const Index first = task * floats_per_task, count = std::min(floats_per_task, length - first);
    for (const auto& [into, from] : pairs) add_floats(sums[into] + first, sums[from] + first, count);
  });
}

TreeReduce::TreeReduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, Index length, Place place)
    : TreeReduce(exec, comm, lanes, length, comm::ranks_per_node(comm), place) {}

TreeReduce::TreeReduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, Index length, int ranks_per_node,
                       Place place)
    : exec_(exec), micro_batches_(lanes.micro_batches()), sums_(exec, length, place) {
  const int ranks = comm.size(), me = comm.rank();
  if (place == Place::device && ranks > 1) {
    of_devices_ = std::make_unique<DeviceReduce>(exec, comm, lanes, length);
    return;
  }
  for (int r = 0; r < ranks; ++r) max_sums_ = std::max(max_sums_, Index(leaves_of(lanes.of_rank(r, ranks)).size()));
  node_.emplace(comm, ranks_per_node);
  if (ranks_per_node > 1) {
    memory_ = NodeMemory(node_->ranks(), max_sums_ * padded(length) * ranks_per_node);
    if (comm.min(memory_ ? 1 : 0) == 0) {
      memory_ = {};
      ranks_per_node = 1;
      node_.emplace(comm, ranks_per_node);
    }
  }

  std::vector<Index> node_leaves, all_leaves;
  for (int first = 0; first < ranks; first += ranks_per_node) {
    const int end = first + ranks_per_node;
    const Range run{lanes.of_rank(first, ranks).begin, lanes.of_rank(end - 1, ranks).end};
    const std::vector<Index> remaining = leaves_of(run);
    sums_of_node_.push_back(std::ssize(remaining));
    append(all_leaves, remaining);
    if (me < first || me >= end) continue;
    for (int r = first; r < end; ++r) {
      const std::vector<Index> leaves = leaves_of(lanes.of_rank(r, ranks));
      append(node_leaves, leaves);
      for (std::size_t i = 0; memory_ && i < leaves.size(); ++i) node_sums_.push_back(shared_sum(r - first, Index(i)));
    }
    of_ranks_ = Additions(node_leaves, run);
  }
  of_nodes_ = Additions(all_leaves, lanes.of_micro_batch(0));
  if (micro_batches_ > 1) of_micro_batches_.emplace(exec, node_->share(length).size(), sums_.place());
  if (!memory_ && ranks > 1) total_ = make_vector<float>(exec, "tesserec::comm::total", length);
  // If one thread adds all lanes, their sums are computed in shared memory and need no copy.
  for (Index i = memory_ && concurrency(exec) == 1 ? max_sums_ : 0; i-- > 0;)
    sums_.add_buffer(Vector<float>(shared_sum(node_->ranks().rank(), i), length));
}

float* TreeReduce::shared_sum(int rank, Index i) const {
  return memory_.data() + (rank * max_sums_ + i) * padded(sums_.length());
}

LaneSums& TreeReduce::lane_sums() {
  if (memory_) node_->ranks().barrier();
  return sums_;
}

TreeReduce::~TreeReduce() = default;

PlacedVector<float> TreeReduce::operator()(int micro_batch) {
  if (of_devices_) return (*of_devices_)(sums_, micro_batch);
  if (memory_) {
    add_ranks();
  } else {
    node_sums_.clear();
    for (int i = 0; i < sums_.count(); ++i) node_sums_.push_back(sums_.sum(i).data());
  }
  float* total = total_.data() != nullptr ? total_.data() : node_sums_[0];
  const Range piece = node_->share(sums_.length());
  if (node_->across().size() > 1) add_nodes(piece, total);
  if (micro_batches_ > 1) add_micro_batches(micro_batch, piece, total);
  if (micro_batch + 1 < micro_batches_) return {};
  if (memory_) node_->ranks().barrier();
  if (sums_.place() == Place::device) return sums_.sum(0);
  return Vector<float>(total, sums_.length());
}

void TreeReduce::add_micro_batches(int micro_batch, Range piece, float* total) {
  LaneSums& sums = *of_micro_batches_;
  if (micro_batch == 0) sums.start({0, micro_batches_});
  const Place place = sums.place();
  const auto copy_piece = [&](const float* from, float* to) { copy(exec_, place, from, place, to, piece.size()); };
  copy_piece(total + piece.begin, sums.next(micro_batch).data());
  if (micro_batch + 1 < micro_batches_) return;
  sums.finish();
  copy_piece(sums.sum(0).data(), total + piece.begin);
}

bool TreeReduce::in_place() const {
  const float* const end = shared_sum(node_->ranks().size(), 0);
  for (int i = 0; i < sums_.count(); ++i) {
    const float* sum = sums_.sum(i).data();
    if (memory_.data() <= sum && sum < end && sum != shared_sum(node_->ranks().rank(), i)) return false;
  }
  return true;
}

void TreeReduce::add_ranks() {
  assert(in_place());
  for (int i = 0; i < sums_.count(); ++i) {
    const Vector<float> to(shared_sum(node_->ranks().rank(), i), sums_.sum(i).size());
    if (sums_.sum(i).data() != to.data()) Kokkos::deep_copy(exec_, to, sums_.sum(i).host());
  }
  exec_.fence();
  node_->ranks().barrier();
  const Range piece = node_->share(sums_.length());
  std::vector<float*> pieces = node_sums_;
  for (float*& sum : pieces) sum += piece.begin;
  of_ranks_(exec_, pieces, piece.size());
}

void TreeReduce::add_nodes(Range piece, float* total) {
  const Communicator& across = node_->across();
  const auto sums = std::ssize(of_ranks_.remaining);
  const int nodes = across.size();
  const auto share_of = [&](int k) { return Range{piece.size() * k / nodes, piece.size() * (k + 1) / nodes}; };
  const Range own = share_of(across.rank());
  const auto sum = [&](Index i) { return node_sums_[of_ranks_.remaining[i]] + piece.begin; };

  // 1. Every rank receives its share of all nodes' sums. A single sum is not packed: its shares are in order already.
  std::vector<float> packed;
  std::vector<Index> share_sizes(nodes), send_counts(nodes), recv_counts(nodes);
  for (int k = 0; k < nodes; ++k) {
    for (Index i = 0; sums > 1 && i < sums; ++i)
      packed.insert(packed.end(), sum(i) + share_of(k).begin, sum(i) + share_of(k).end);
    share_sizes[k] = share_of(k).size();
    send_counts[k] = sums * share_sizes[k];
    recv_counts[k] = sums_of_node_[k] * own.size();
  }
  const Index received = std::accumulate(sums_of_node_.begin(), sums_of_node_.end(), Index{0});
  const auto buffer = std::make_unique_for_overwrite<float[]>(received * own.size());
  across.all_to_all(sums > 1 ? packed.data() : sum(0), send_counts, buffer.get(), recv_counts);

  // 2. Every rank adds the shares by the tree.
  std::vector<float*> shares;
  for (Index i = 0; i < received; ++i) shares.push_back(buffer.get() + i * own.size());
  of_nodes_(exec_, shares, own.size());

  // 3. The finished shares are gathered.
  across.all_gather(std::span<const float>(shares[0], own.size()), share_sizes, total + piece.begin);
}

double tree_reduce(const Communicator& comm, const Lanes& lanes, const std::vector<double>& lane_values) {
  std::vector<Index> counts;
  for (int r = 0; r < comm.size(); ++r) counts.push_back(lanes.of_rank(r, comm.size()).size());
  std::vector<double> all(lanes.of_micro_batch(0).size());
  comm.all_gather(std::span<const double>(lane_values), std::span<const Index>(counts), all.data());
  return tree_sum(all);
}

void unordered_sum(const Communicator& comm, float* values, Index n) {
  if (comm.size() == 1) return;
  constexpr Index piece = Index{1} << 28;
  for (Index done = 0; done < n; done += piece)
    check(MPI_Allreduce(MPI_IN_PLACE, values + done, int(std::min(piece, n - done)), MPI_FLOAT, MPI_SUM, comm.mpi()),
          "MPI_Allreduce");
}

}  // namespace tesserec::comm
