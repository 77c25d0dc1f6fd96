// SPDX-License-Identifier: Apache-2.0
#include "sequences.hpp"

#include <cmath>

namespace tesserec::layers {

const Index* samples_of(const Where& where, Index rows, const Lengths& lengths, LoopBuffer<Index>& to) {
  Index* const samples = to.reserve(where, "tesserec::layers::samples", lengths.vectors);
  over_numbers(
      where, "tesserec::layers::samples", rows, KOKKOS_LAMBDA(Index r) {
        const Range own = lengths.of(r);
        for (Index j = own.begin; j < own.end; ++j) samples[j] = r;
      });
  return samples;
}

void add_weighted(const Where& where, Index rows, const LayerInput& vectors, const float* weights, Rows<float> out) {
  over_rows(
      where, "tesserec::layers::weighted_sum", rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
        const Range own = vectors.lengths.of(r);
        const float *const of = weights + own.begin, *const first = vectors[own.begin];
        const Index stride = vectors.stride;
        float* const to = out[r];
        threads.sums(
            out.width, own.size(), [](Index) { return 0.0f; },
            [=](Index k, Index i, float sum) { return std::fma(of[k], first[k * stride + i], sum); },
            [=](Index i, float sum) { to[i] = sum; });
      });
}

Pieces VectorBlocks::cut(const Where& where, const Pieces& chunks, const Lengths& lengths) {
  const Index max_blocks = chunks.count + lengths.vectors / chunk_samples;
  Index* const rows = rows_.reserve(where, "tesserec::layers::blocks", max_blocks + 1);
  Index* const of_chunk = of_chunk_.reserve(where, "tesserec::layers::blocks", chunks.count + 1);
  Index* const of_lane = of_lane_.reserve(where, "tesserec::layers::blocks", chunks.lanes + 1);
  const Index* const offsets = lengths.offsets;
  scan_numbers(
      where.device(), "tesserec::layers::blocks", chunks.count + 1,
      KOKKOS_LAMBDA(Index chunk, Index & at, bool finished) {
        const bool after = chunk == chunks.count;
        const Index begin = offsets[chunks.rows[chunk]], end = after ? begin : offsets[chunks.rows[chunk + 1]];
        Index blocks = (end - begin + chunk_samples - 1) / chunk_samples;
        for (Index lane = 0; !after && blocks == 0 && lane < chunks.lanes; ++lane)
          if (chunks.of_lane[lane] == chunk && chunks.of_lane[lane + 1] > chunk) blocks = 1;
        if (finished) {
          of_chunk[chunk] = at;
          for (Index block = 0; block < blocks; ++block) rows[at + block] = begin + block * chunk_samples;
          if (after) rows[at] = end;
        }
        at += blocks;
      });
  over_numbers(
      where, "tesserec::layers::blocks_of_lanes", chunks.lanes + 1,
      KOKKOS_LAMBDA(Index lane) { of_lane[lane] = of_chunk[chunks.of_lane[lane]]; });
  lane_rows_.clear();
  for (Index lane = 0; lane <= chunks.lanes; ++lane) lane_rows_.push_back(lengths.on_host[chunks.lane_rows[lane]]);
  return {max_blocks, chunks.lanes, rows, of_lane, lane_rows_.data()};
}

}  // namespace tesserec::layers
