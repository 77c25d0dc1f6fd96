// SPDX-License-Identifier: Apache-2.0
#include "row_parcels.hpp"

#include <algorithm>
#include <cstring>

namespace tesserec::parallel_io {
namespace {

Index columns_of(const store::DatasetShape& shape, const store::Slab& slab) {
  if (shape.columns < 0) return 1;
  return slab.columns < 0 ? shape.columns - slab.first_column : slab.columns;
}

/// Copies rows, `ld_bytes` apart, to contiguous memory.
void copy_rows(const std::byte* from, Index ld_bytes, Index rows, Index row_bytes, std::byte* to) {
  for (Index row = 0; row < rows; ++row, from += ld_bytes, to += row_bytes) std::memcpy(to, from, row_bytes);
}

}  // namespace

RowParcels cut_slabs(std::span<const PartedWriter::SlabData> slabs, const store::PartsLayout& layout,
                     std::span<const int> owners, std::span<const char> found, int rank, int ranks) {
  RowParcels parcels;
  std::vector<std::vector<std::byte>> out(ranks);
  for (const PartedWriter::SlabData& block : slabs) {
    const store::DatasetShape& shape = layout.datasets()[block.dataset];
    const Index columns = columns_of(shape, block.slab), row_bytes = columns * store::element_bytes(shape.type);
    if (block.slab.rows * row_bytes == 0) continue;
    const Index ld_bytes = block.ld > 0 ? block.ld * store::element_bytes(shape.type) : row_bytes;
    const Index last_row = block.slab.first_row + block.slab.rows;
    const auto& runs = layout.of_dataset(block.dataset);
    auto run =
        std::partition_point(runs.begin(), runs.end(), [&](const auto& r) { return r.end() <= block.slab.first_row; });
    for (; run != runs.end() && run->first_row < last_row; ++run) {
      if (found[run->part] != 0) continue;
      const Index begin = std::max(run->first_row, block.slab.first_row), end = std::min(run->end(), last_row);
      const PartRows rows{run->part,   Index(block.dataset),    begin - run->first_row,
                          end - begin, block.slab.first_column, columns};
      const auto* from = static_cast<const std::byte*>(block.data) + (begin - block.slab.first_row) * ld_bytes;
      const int to = owners[run->part];
      if (to == rank) {
        parcels.own.push_back({rows, from, ld_bytes});
        continue;
      }
      std::vector<std::byte>& buffer = out[to];
      const std::size_t at = buffer.size();
      buffer.resize(at + sizeof rows + rows.rows * row_bytes);
      std::memcpy(buffer.data() + at, &rows, sizeof rows);
      copy_rows(from, ld_bytes, rows.rows, row_bytes, buffer.data() + at + sizeof rows);
    }
  }
  for (std::vector<std::byte>& buffer : out) {
    parcels.sent_bytes.push_back(std::ssize(buffer));
    parcels.sent.insert(parcels.sent.end(), buffer.begin(), buffer.end());
    buffer = {};
  }
  return parcels;
}

void put_own(const RowParcels& parcels, const store::PartsLayout& layout, PartImages& parts) {
  std::vector<std::byte> dense;
  for (const auto& [rows, data, ld_bytes] : parcels.own) {
    const Index row_bytes = rows.bytes(layout) / rows.rows;
    if (ld_bytes == row_bytes) {
      parts.put(rows, data);
      continue;
    }
    dense.resize(rows.bytes(layout));
    copy_rows(data, ld_bytes, rows.rows, row_bytes, dense.data());
    parts.put(rows, dense.data());
  }
}

void put_received(std::span<const std::byte> received, const store::PartsLayout& layout, PartImages& parts) {
  while (!received.empty()) {
    PartRows rows{};
    std::memcpy(&rows, received.data(), sizeof rows);
    parts.put(rows, received.data() + sizeof rows);
    received = received.subspan(sizeof rows + rows.bytes(layout));
  }
}

}  // namespace tesserec::parallel_io
