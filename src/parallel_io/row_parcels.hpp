// SPDX-License-Identifier: Apache-2.0
/// Slabs of rows on their way to the ranks that write their parts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "part_images.hpp"
#include <tesserec/parallel_io/parted_writer.hpp>

namespace tesserec::parallel_io {

/// Slabs that were cut at the borders of parts.
struct RowParcels {
  struct Own {
    PartRows rows;
    const std::byte* data;
    Index ld_bytes;
  };
  std::vector<Own> own;           // rows of parts that this rank writes
  std::vector<std::byte> sent;    // rows for other ranks, in rank order: PartRows, each before its numbers
  std::vector<Index> sent_bytes;  // bytes in `sent` for each rank
};

/// Cuts the slabs of rank `rank` of `ranks` at the borders of parts. owners[part] is the rank that writes the part;
/// rows of a part with found[part] are left out.
RowParcels cut_slabs(std::span<const PartedWriter::SlabData> slabs, const store::PartsLayout& layout,
                     std::span<const int> owners, std::span<const char> found, int rank, int ranks);

/// Puts this rank's rows into its parts.
void put_own(const RowParcels& parcels, const store::PartsLayout& layout, PartImages& parts);

/// Puts rows that other ranks have sent into this rank's parts.
void put_received(std::span<const std::byte> received, const store::PartsLayout& layout, PartImages& parts);

}  // namespace tesserec::parallel_io
