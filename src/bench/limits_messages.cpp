// SPDX-License-Identifier: Apache-2.0
#include "limits.hpp"
#include <tesserec/comm/tree_reduce.hpp>

namespace tesserec::bench {
namespace {

constexpr Index small_message = 2, large_message = Index{1} << 20;  // floats

/// Returns the seconds of an all-to-all of `count` floats with each rank for which `wanted` is true. Collective.
template <class Wanted>
double exchange_seconds(const Context& context, Index count, const Wanted& wanted) {
  const std::size_t ranks = context.comm.size();
  std::vector<Index> counts(ranks, 0);
  Index total = 0;
  for (std::size_t r = 0; r < ranks; ++r) total += counts[r] = wanted(int(r)) ? count : 0;
  std::vector<float> out(total, 1.0f), in(out);
  return context.seconds([&] { context.comm.all_to_all(out.data(), counts, in.data(), counts); });
}

}  // namespace

void measure_messages(const Context& context, const planning::Topology& topology, Limits& limits,
                      std::vector<Figure>& figures) {
  const int ranks = topology.ranks, me = context.comm.rank(), node = topology.node(me);
  const auto measure = [&](const char* where, int peers, const auto& wanted, double& latency, double& bytes) {
    if (peers < 1) return;
    latency = exchange_seconds(context, small_message, wanted) / peers;
    bytes = 4.0 * large_message * peers / exchange_seconds(context, large_message, wanted);
    figures.push_back({"limits", std::string("small messages ") + where, 1 / latency, "1/s", 0, "", 0});
    figures.push_back({"limits", std::string("all-to-all ") + where, bytes, "bytes/s", 0, "", 0});
  };
  measure(
      "inside a node", topology.ranks_per_node - 1, [&](int r) { return r != me && topology.node(r) == node; },
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
  const Range mine = lanes.of_rank(me, ranks);
  const double tree = context.seconds([&] {
    LaneSums& sums = reduce.lane_sums();
    sums.start(mine);
    for (Index lane = mine.begin; lane < mine.end; ++lane) std::fill_n(sums.next(lane).data(), large_message, 1.0f);
    sums.finish();
    reduce();
  });
  figures.push_back({"limits", "all-reduce of 4 MiB, unordered", 4.0 * large_message / plain, "bytes/s", 0, "", 0});
  figures.push_back({"limits", "all-reduce of 4 MiB, by the tree of lanes", 4.0 * large_message / tree, "bytes/s",
                     4.0 * large_message / plain, "all-reduce, unordered", 0});
}

}  // namespace tesserec::bench
