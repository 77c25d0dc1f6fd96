// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cassert>
#include <memory>
#include <utility>

#include <tesserec/comm/lane_sums.hpp>

namespace tesserec::comm {

TESSEREC_KERNEL void add(float* a, const float* b, Index n) {
  for (Index i = 0; i < n; ++i) a[i] += b[i];
}

void LaneSums::start(Range lanes) {
  for (int i = 0; i < order_.size(); ++i) free_.push_back(leave(i));
  order_ = TreeOrder(lanes);
  slots_.resize(TreeOrder::max_slots);
}

void LaneSums::reserve(const Exec& exec, Index lanes) {
  const auto wanted = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(lanes))) * 2;
  while (free_.size() + static_cast<std::size_t>(order_.size()) < wanted)
    free_.push_back(make_vector<float>(exec, "tesserec::comm::lane_sum", length_));
}

Vector<float> LaneSums::take(const Exec& exec) {
  if (free_.empty()) return make_vector<float>(exec, "tesserec::comm::lane_sum", length_);
  Vector<float> buffer = free_.back();
  free_.pop_back();
  return buffer;
}

Vector<float> LaneSums::leave(int slot) { return std::exchange(slots_[slot], Vector<float>()); }

void LaneSums::merge(int into, int from) {
  add(slots_[into].data(), slots_[from].data(), length_);
  free_.push_back(leave(from));
}

void LaneSums::push(Index lane, const Vector<float>& vector) {
  const int slot = order_.push(lane, [this](int into, int from) { merge(into, from); });
  slots_[slot] = vector;
}

void LaneSums::finish() {
  order_.finish([this](int into, int from) { merge(into, from); });
}

void LaneSums::absorb(LaneSums& run) {
  assert(run.length_ == length_);
  for (int i = 0; i < run.count(); ++i) {
    push(run.leaf(i), run.leave(i));
    if (free_.empty()) continue;
    run.free_.push_back(free_.back());  // in exchange, so that neither allocates step after step
    free_.pop_back();
  }
  run.order_.clear();
}

namespace {

/// Lanes below the subtrees whose sums each rank holds: a function of lanes and ranks alone.
std::vector<std::vector<Index>> leaves_of_ranks(const Lanes& lanes, int ranks) {
  std::vector<std::vector<Index>> leaves(static_cast<std::size_t>(ranks));
  const auto nothing = [](int, int) {};
  for (int r = 0; r < ranks; ++r) {
    const Range run = lanes.of_rank(r, ranks);
    TreeOrder order(run);
    for (Index lane = run.begin; lane < run.end; ++lane) order.push(lane, nothing);
    order.finish(nothing);
    for (int i = 0; i < order.size(); ++i) leaves[r].push_back(order.leaf(i));
  }
  return leaves;
}

}  // namespace

void tree_reduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, const LaneSums& sums,
                 const Vector<float>& total) {
  const Index length = sums.length();
  const int ranks = comm.size();
  if (ranks == 1) {
    Kokkos::deep_copy(exec, total, sums.sum(0));
    exec.fence();
    return;
  }
  const auto piece = [&](int r) { return Range{length * r / ranks, length * (r + 1) / ranks}; };
  const Range mine = piece(comm.rank());
  const std::vector<std::vector<Index>> leaves = leaves_of_ranks(lanes, ranks);

  // 1. Every rank gets its piece of all subtree sums; one sum alone is its pieces in order already.
  std::vector<float> packed;
  std::vector<Index> pieces(ranks), send_counts(ranks), recv_counts(ranks);
  Index received = 0;
  for (int r = 0; r < ranks; ++r) {
    const Range p = piece(r);
    for (int i = 0; sums.count() > 1 && i < sums.count(); ++i)
      packed.insert(packed.end(), sums.sum(i).data() + p.begin, sums.sum(i).data() + p.end);
    pieces[r] = p.size();
    send_counts[r] = sums.count() * p.size();
    recv_counts[r] = static_cast<Index>(leaves[r].size()) * mine.size();
    received += recv_counts[r];
  }
  const auto nodes = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(received));
  comm.all_to_all(sums.count() > 1 ? packed.data() : sums.sum(0).data(), send_counts, nodes.get(), recv_counts);

  // 2. It adds them by the tree.
  TreeOrder order(whole_tree);
  std::vector<float*> slot(TreeOrder::max_slots);
  const auto merge = [&](int into, int from) { add(slot[into], slot[from], mine.size()); };
  float* next = nodes.get();
  for (const std::vector<Index>& rank : leaves)
    for (const Index leaf : rank) {
      slot[order.push(leaf, merge)] = next;
      next += mine.size();
    }
  order.finish(merge);

  // 3. All ranks gather the finished pieces.
  comm.all_gather(std::span<const float>(slot[0], static_cast<std::size_t>(mine.size())), pieces, total.data());
}

double tree_reduce(const Communicator& comm, const std::vector<double>& mine) {
  std::vector<double> all = comm.all_gather(std::span<const double>(mine));
  TreeOrder order(whole_tree);
  std::vector<double> slot(TreeOrder::max_slots);
  const auto merge = [&](int into, int from) { slot[into] += slot[from]; };
  for (std::size_t lane = 0; lane < all.size(); ++lane) {
    const int at = order.push(static_cast<Index>(lane), merge);
    slot[at] = all[lane];
  }
  order.finish(merge);
  return slot[0];
}

}  // namespace tesserec::comm
