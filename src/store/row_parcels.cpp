// SPDX-License-Identifier: Apache-2.0
#include "row_parcels.hpp"

#include <algorithm>
#include <cstring>

namespace tesserec::store {
namespace {

Index columns_of(const DatasetShape& shape, const Slab& slab) {
  if (shape.columns < 0) return 1;
  return slab.columns < 0 ? shape.columns - slab.first_column : slab.columns;
}

/// Rows of a matrix, to one after the other.
void copy_rows(const std::byte* from, Index ld_bytes, Index rows, Index row_bytes, std::byte* to) {
  for (Index row = 0; row < rows; ++row, from += ld_bytes, to += row_bytes) std::memcpy(to, from, row_bytes);
}

}  // namespace

RowParcels cut(std::span<const PartedWriter::SlabData> slabs, const PartsLayout& layout, std::span<const int> owners,
               int rank, int ranks) {
  RowParcels parcels;
  std::vector<std::vector<std::byte>> out(ranks);
  for (const PartedWriter::SlabData& given : slabs) {
    const DatasetShape& shape = layout.datasets()[given.dataset];
    const Index columns = columns_of(shape, given.slab), row_bytes = columns * element_bytes(shape.type);
    if (given.slab.rows * row_bytes == 0) continue;
    const Index ld_bytes = given.ld > 0 ? given.ld * element_bytes(shape.type) : row_bytes;
    const Index last_row = given.slab.first_row + given.slab.rows;
    const auto& runs = layout.of_dataset(given.dataset);
    auto run =
        std::partition_point(runs.begin(), runs.end(), [&](const auto& r) { return r.end() <= given.slab.first_row; });
    for (; run != runs.end() && run->first_row < last_row; ++run) {
      const Index begin = std::max(run->first_row, given.slab.first_row), end = std::min(run->end(), last_row);
      const PartRows rows{run->part,   Index(given.dataset),    begin - run->first_row,
                          end - begin, given.slab.first_column, columns};
      const auto* from = static_cast<const std::byte*>(given.data) + (begin - given.slab.first_row) * ld_bytes;
      const int to = owners[run->part];
      if (to == rank) {
        parcels.mine.push_back({rows, from, ld_bytes});
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

void put_mine(const RowParcels& parcels, const PartsLayout& layout, PartImages& parts) {
  std::vector<std::byte> dense;
  for (const auto& [rows, data, ld_bytes] : parcels.mine) {
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

void put_received(std::span<const std::byte> received, const PartsLayout& layout, PartImages& parts) {
  while (!received.empty()) {
    PartRows rows{};
    std::memcpy(&rows, received.data(), sizeof rows);
    parts.put(rows, received.data() + sizeof rows);
    received = received.subspan(sizeof rows + rows.bytes(layout));
  }
}

}  // namespace tesserec::store
