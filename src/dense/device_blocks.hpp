// SPDX-License-Identifier: Apache-2.0
/// A batch's sequences on a device.
#pragma once

#include <vector>

#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/dense/device_layer.hpp>

namespace tesserec::dense {

/// The sample of each vector.
class SampleOfVector {
 public:
  void find(const Device& device, Index rows, Rows<const float> sequence) {
    reserve_device(device, samples_, "tesserec::dense::samples", sequence.vectors);
    Index* const samples = samples_.data();
    const Index* const offsets = sequence.offsets;
    over_numbers(
        device, "tesserec::dense::samples", rows, KOKKOS_LAMBDA(Index r) {
          for (Index j = offsets[r]; j < offsets[r + 1]; ++j) samples[j] = r;
        });
  }
  const Index* of_vectors() const { return samples_.data(); }

 private:
  DeviceVector<Index> samples_;
};

/// Vectors of chunks, in pieces of a chunk's number of samples. A lane's empty first chunk has an empty piece, +0.
class VectorBlocks {
 public:
  /// `host_offsets`: the sequence's, in the host's memory.
  Pieces cut(const Device& device, const Pieces& chunks, Rows<const float> sequence, const Index* host_offsets) {
    const Index most = chunks.count + sequence.vectors / chunk_samples;
    reserve_device(device, rows_, "tesserec::dense::blocks", most + 1);
    reserve_device(device, of_chunk_, "tesserec::dense::blocks", chunks.count + 1);
    reserve_device(device, of_lane_, "tesserec::dense::blocks", chunks.lanes + 1);
    Index *const rows = rows_.data(), *const of_chunk = of_chunk_.data(), *const of_lane = of_lane_.data();
    const Index* const offsets = sequence.offsets;
    scan_numbers(
        device, "tesserec::dense::blocks", chunks.count + 1, KOKKOS_LAMBDA(Index chunk, Index & at, bool finished) {
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
        device, "tesserec::dense::blocks_of_lanes", chunks.lanes + 1,
        KOKKOS_LAMBDA(Index lane) { of_lane[lane] = of_chunk[chunks.of_lane[lane]]; });
    lane_rows_.clear();
    for (Index lane = 0; lane <= chunks.lanes; ++lane) lane_rows_.push_back(host_offsets[chunks.lane_rows[lane]]);
    return {most, chunks.lanes, rows, of_lane, lane_rows_.data()};
  }

 private:
  DeviceVector<Index> rows_, of_chunk_, of_lane_;
  std::vector<Index> lane_rows_;
};

}  // namespace tesserec::dense
