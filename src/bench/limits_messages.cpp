// SPDX-License-Identifier: Apache-2.0
#include "limits.hpp"
#include <tesserec/comm/tree_reduce.hpp>

namespace tesserec::bench {
namespace {

constexpr Index small_message = 2, large_message = Index{1} << 20;  // floats

/// Returns the seconds of an all-to-all of `count` floats with each rank for which `is_peer` is true. Collective.
template <class IsPeer>
double exchange_seconds(const Context& context, Index count, const IsPeer& is_peer) {
  const std::size_t ranks = context.comm.size();
  std::vector<Index> counts(ranks, 0);
  Index total = 0;
  for (std::size_t r = 0; r < ranks; ++r) total += counts[r] = is_peer(int(r)) ? count : 0;
  std::vector<float> out(total, 1.0f), in(out);
  return context.seconds([&] { context.comm.all_to_all(out.data(), counts, in.data(), counts); });
}

}  // namespace

void measure_messages(const Context& context, const planning::Topology& topology, Limits& limits,
                      std::vector<Figure>& figures) {
  const int ranks = topology.ranks, rank = context.comm.rank(), node = topology.node(rank);
  const auto measure = [&](const char* where, int peers, const auto& is_peer, double& latency, double& bytes) {
    if (peers < 1) return;
    latency = exchange_seconds(context, small_message, is_peer) / peers;
    bytes = 4.0 * large_message * peers / exchange_seconds(context, large_message, is_peer);
    figures.push_back({"limits", std::string("small messages ") + where, 1 / latency, "1/s", 0, "", 0});
    figures.push_back({"limits", std::string("all-to-all ") + where, bytes, "bytes/s", 0, "", 0});
  };
  measure(
      "inside a node", topology.ranks_per_node - 1, [&](int r) { return r != rank && topology.node(r) == node; },
      limits.inside_latency, limits.inside_bytes);
  measure(
      "between nodes", ranks - topology.ranks_per_node, [&](int r) { return topology.node(r) != node; },
      limits.between_latency, limits.between_bytes);
  if (ranks < 2) return;

  // One vector is summed over all ranks in two ways: by MPI, and by the tree of the law with about one lane a rank.
  int count = 1;
  while (count < ranks) count *= 2;
  const Lanes lanes(count);
  const Vector<float> total = make_vector<float>(context.exec, "tesserec::bench::sum", large_message);
  Kokkos::deep_copy(context.exec, total, 0.0f);
  const double plain = context.seconds([&] { comm::unordered_sum(context.comm, total.data(), large_message); });
  comm::TreeReduce reduce(context.exec, context.comm, lanes, large_message);
  const Range own_lanes = lanes.of_rank(rank, ranks);
  const double tree = context.seconds([&] {
    LaneSums& sums = reduce.lane_sums();
    sums.start(own_lanes);
    for (Index lane = own_lanes.begin; lane < own_lanes.end; ++lane)
      std::fill_n(sums.next(lane).data(), large_message, 1.0f);
    sums.finish();
    reduce();
  });
  figures.push_back({"limits", "all-reduce of 4 MiB, unordered", 4.0 * large_message / plain, "bytes/s", 0, "", 0});
  figures.push_back({"limits", "all-reduce of 4 MiB, by the tree of lanes", 4.0 * large_message / tree, "bytes/s",
                     4.0 * large_message / plain, "all-reduce, unordered", 0});
}

}  // namespace tesserec::bench
