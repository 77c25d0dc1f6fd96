// SPDX-License-Identifier: Apache-2.0
/// The gradient of a run, added by a lane for its quads of columns.
#pragma once

#include "quad.hpp"
#include "row_runs.hpp"
#include <tesserec/optim/rules.hpp>

namespace tesserec::embedding {

/// Lanes of a batch up to 2^levels.
inline constexpr int few_levels = 6, most_levels = 16;

template <bool whole, int levels>
struct RunSum {
  RunArrays runs;
  const float* gradients;
  const float* pieces;  // [pieces, dim]
  Quads<whole> quads;

  /// Quad q of the sum over so many uses.
  TESSEREC_FUNCTION Quad over(const DeviceUse* use, const float* vectors, Index count, Index q) const {
    constexpr int ahead = 2;  // vectors on their way; more would cost registers
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

/// The sums of all pieces -> [pieces, dim], by a launch of their own before that of runs.
template <bool whole>
struct SumPieces {
  RunArrays runs;
  const float* gradients;
  float* pieces;
  Quads<whole> quads;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index piece) const {
    if (piece >= *runs.pieces) return;
    const Index begin = runs.piece_begin[piece];
    Index end = begin + 1;  // one lane of one row
    while (runs.uses[end - 1].height() == 0) ++end;
    for (Index q = lanes.lane; q < quads.count(); q += lanes.width) {
      Quad sum = RunSum<whole, 1>{runs, gradients, nullptr, quads}.over(runs.uses + begin, gradients, end - begin, q);
      quads.store(pieces + piece * quads.dim, q, sum);
    }
  }
};

/// Launches, when the gradients' addresses divide by 16 and dim by 4 as `whole`.
class RunSums {
 public:
  explicit RunSums(Index dim) : dim_(dim) {}

  /// Returns the pieces of hot rows, valid once this launch has run.
  const float* pieces(const Device& exec, const RunArrays& runs, const float* gradients, bool whole);

  /// The sum of each run, each number cut to magnitude `most` -> out [runs, dim].
  void sum(const Device& exec, const RunArrays& runs, const float* gradients, bool whole, int lane_count, float most,
           float* out);

 private:
  Index dim_;
  DeviceVector<float> pieces_;
};

}  // namespace tesserec::embedding
