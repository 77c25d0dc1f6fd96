// SPDX-License-Identifier: Apache-2.0
// Fused update, which reads and writes each touched row once.
#include "row_moves.hpp"
#include "row_updates.hpp"

namespace tesserec::embedding {
namespace {

template <class Rule, class Format>
struct MoveRuns {
  RunSum<true, fast_tree_levels> sums;
  Format format;
  const DeviceShard* shards;
  const DeviceStep* steps;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index run) const {
    if (run >= *sums.runs.runs) return;
    const int bits = sums.runs.row_bits;
    const std::uint64_t key = sums.runs.row[run];
    const Index row = Index(key & ((std::uint64_t{1} << bits) - 1));
    const DeviceShard& shard = shards[key >> bits];
    const DeviceStep& step = steps[key >> bits];
    const Index dim = sums.quads.dim;
    const DeviceRow<Format> at = row_at<Rule, Format>(shard, step, row, dim, 0, dim);
    constexpr bool alone = !device_is_host;  // on a device each thread has exactly one quad
    Quad held[alone ? 1 : LaneGroup::max_width] = {};
    for (Index q = lanes.lane; q < sums.quads.count(); q += lanes.width) {
      Quad sum = sums.of_run(run, q);
      TESSEREC_UNROLL
      for (int c = 0; c < 4; ++c) sum.v[c] = optim::limited(1.0f, step.bound, sum.v[c]);
      held[alone ? 0 : q] = sum;
    }
    RowMove<Rule, true, Format, alone>{
        lanes, step.scalars, at, sums.quads, {sums.quads, format}}([&](Index q) { return held[alone ? 0 : q]; });
  }
};

}  // namespace

void move_runs(const Device& exec, const UpdatedShards& updated, const RunArrays& runs, const float* gradients,
               const float* pieces) {
  const Quads<true> quads{updated.dim};
  with_rule_and_format(updated, [&](auto rule, auto format) {
    launch(exec, "tesserec::embedding::move_runs", runs.max_runs, quads.count(),
           MoveRuns<decltype(rule), decltype(format)>{
               {runs, gradients, pieces, quads}, format, updated.shards, updated.steps});
  });
}

}  // namespace tesserec::embedding
