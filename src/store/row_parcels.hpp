// SPDX-License-Identifier: Apache-2.0
/// Rows of a rank on their way to the ranks that write the parts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "part_images.hpp"
#include <tesserec/store/parted_writer.hpp>

namespace tesserec::store {

/// Slabs that were cut at the borders of parts.
struct RowParcels {
  struct Mine {
    PartRows rows;
    const std::byte* data;
    Index ld_bytes;
  };
  std::vector<Mine> mine;         // of parts that this rank writes
  std::vector<std::byte> sent;    // of others' parts, by rank: PartRows, each with its numbers
  std::vector<Index> sent_bytes;  // to each rank
};

/// Cuts the slabs of rank `rank` of `ranks`; `owners` of the parts.
RowParcels cut(std::span<const PartedWriter::SlabData> slabs, const PartsLayout& layout, std::span<const int> owners,
               int rank, int ranks);
/// Puts this rank's rows into its parts.
void put_mine(const RowParcels& parcels, const PartsLayout& layout, PartImages& parts);
/// Puts rows that other ranks have sent into this rank's parts.
void put_received(std::span<const std::byte> received, const PartsLayout& layout, PartImages& parts);

}  // namespace tesserec::store
