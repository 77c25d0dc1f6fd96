// SPDX-License-Identifier: Apache-2.0
#include "run_sums.hpp"

namespace tesserec::embedding {
namespace {

template <bool whole, int levels>
struct SumRuns {
  RunSum<whole, levels> run_sum;
  float bound;
  float* out;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index run) const {
    if (run >= *run_sum.runs.runs) return;
    for (Index q = lanes.lane; q < run_sum.quads.count(); q += lanes.width) {
      Quad sum = run_sum.of_run(run, q);
      TESSEREC_UNROLL
      for (int c = 0; c < 4; ++c) sum.v[c] = optim::limited(1.0f, bound, sum.v[c]);
      run_sum.quads.store(out + run * run_sum.quads.dim, q, sum);
    }
  }
};

/// Calls call(std::bool_constant whole).
template <class Call>
void with_whole(bool whole, const Call& call) {
  if (whole)
    call(std::true_type());
  else
    call(std::false_type());
}

}  // namespace

const float* RunSums::pieces(const Device& exec, const RunArrays& runs, const float* gradients, bool whole) {
  reserve_device(exec, pieces_, "tesserec::embedding::pieces", runs.max_pieces * dim_);
  with_whole(whole, [&](auto is_whole) {
    const Quads<is_whole.value> quads{dim_};
    launch(exec, "tesserec::embedding::sum_pieces", runs.max_pieces, quads.count(),
           SumPieces<is_whole.value>{runs, gradients, pieces_.data(), quads});
  });
  return pieces_.data();
}

void RunSums::sum(const Device& exec, const RunArrays& runs, const float* gradients, bool whole, int lane_count,
                  float bound, float* out) {
  const float* const of_pieces = pieces(exec, runs, gradients, whole);
  with_whole(whole, [&](auto is_whole) {
    const Quads<is_whole.value> quads{dim_};
    const auto launch_levels = [&](auto levels) {
      launch(exec, "tesserec::embedding::sum_runs", runs.max_runs, quads.count(),
             SumRuns<is_whole.value, levels.value>{{runs, gradients, of_pieces, quads}, bound, out});
    };
    if (lane_count <= 1 << fast_tree_levels)
      launch_levels(std::integral_constant<int, fast_tree_levels>());
    else
      launch_levels(std::integral_constant<int, max_tree_levels>());
  });
}

}  // namespace tesserec::embedding
