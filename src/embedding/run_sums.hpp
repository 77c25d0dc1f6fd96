// SPDX-License-Identifier: Apache-2.0
/// Gradient of a run. Each thread adds the quads of its columns.
#pragma once

#include "quad.hpp"
#include "row_runs.hpp"
#include <tesserec/optim/rules.hpp>

namespace tesserec::embedding {

/// Levels of a kernel's tree over lanes, which holds up to 2^levels lanes.
inline constexpr int fast_tree_levels = 6, max_tree_levels = 16;

template <bool whole, int levels>
struct RunSum {
  RunArrays runs;
  const float* gradients;
  const float* pieces;  // [pieces, dim]
  Quads<whole> quads;

  /// Returns quad q of the sum over `count` uses.
  TESSEREC_FUNCTION Quad over(const DeviceUse* use, const float* vectors, Index count, Index q) const {
    constexpr int ahead = 2;  // vectors loaded at once; more would spill registers
    TreeSum<Quad, levels> tree;
    Quad sum{};
    bool begins = true;
    for (Index i = 0; i < count; i += ahead) {
      DeviceUse uses[ahead] = {};
      Quad vector[ahead] = {};
      TESSEREC_UNROLL
      for (int k = 0; k < ahead; ++k) {
        if (i + k >= count) break;
        uses[k] = use[i + k];
        vector[k] = quads.load(vectors + uses[k].gradient, q);
      }
      TESSEREC_UNROLL
      for (int k = 0; k < ahead; ++k) {
        if (i + k >= count) break;
        sum = begins && uses[k].sums() ? vector[k] : fma(uses[k].weight, vector[k], begins ? Quad{} : sum);
        begins = uses[k].height() > 0;
        if (begins) tree.climb(sum, uses[k].height());
      }
    }
    return sum;
  }

  TESSEREC_FUNCTION Quad of_run(Index run, Index q) const {
    const Index piece = runs.first_piece[run];
    const bool hot = piece >= 0;
    const Index begin = hot ? piece : runs.begin[run];
    const Index end = hot ? runs.last_piece[run] + 1 : runs.begin[run + 1];
    const auto* const uses = hot ? runs.piece_uses : runs.uses;
    return over(uses + begin, hot ? pieces : gradients, end - begin, q);
  }
};

/// Sums each piece to pieces [pieces, dim]. Must be launched before the kernel that sums runs.
template <bool whole>
struct SumPieces {
  RunArrays runs;
  const float* gradients;
  float* pieces;
  Quads<whole> quads;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index piece) const {
    if (piece >= *runs.pieces) return;
    const Index begin = runs.piece_begin[piece];
    Index end = begin + 1;  // end of the lane
    while (runs.uses[end - 1].height() == 0) ++end;
    for (Index q = lanes.lane; q < quads.count(); q += lanes.width) {
      Quad sum = RunSum<whole, 1>{runs, gradients, nullptr, quads}.over(runs.uses + begin, gradients, end - begin, q);
      quads.store(pieces + piece * quads.dim, q, sum);
    }
  }
};

/// Launcher of the sums. `whole`: gradients are aligned to 16 bytes, and dim is a multiple of 4.
class RunSums {
 public:
  explicit RunSums(Index dim) : dim_(dim) {}

  /// Returns the sums of the pieces of hot rows, valid after this launch has run.
  const float* pieces(const Device& exec, const RunArrays& runs, const float* gradients, bool whole);

  /// Writes the sum of each run, clipped to magnitude `bound`, to out [runs, dim].
  void sum(const Device& exec, const RunArrays& runs, const float* gradients, bool whole, int lane_count, float bound,
           float* out);

 private:
  Index dim_;
  DeviceVector<float> pieces_;
};

}  // namespace tesserec::embedding
