// SPDX-License-Identifier: Apache-2.0
// What the ranks hold goes to the ranks that write the parts.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/parted_writer.hpp>

namespace tesserec::store {
namespace {

namespace fs = std::filesystem;

Index columns_of(const DatasetShape& shape, const Slab& slab) {
  if (shape.columns < 0) return 1;
  return slab.columns < 0 ? shape.columns - slab.first_column : slab.columns;
}

Index element_bytes(const DatasetShape& shape) { return DatasetShape{"", shape.type, 0, -1}.row_bytes(); }

/// Rows of a matrix, to one after the other.
void copy_rows(const std::byte* from, Index ld_bytes, Index rows, Index row_bytes, std::byte* to) {
  for (Index row = 0; row < rows; ++row, from += ld_bytes, to += row_bytes) std::memcpy(to, from, row_bytes);
}

}  // namespace

PartedWriter::PartedWriter(const comm::Communicator& comm, std::string path, PartsLayout layout,
                           std::vector<int> owners, double lock_wait)
    : comm_(comm), path_(std::move(path)), layout_(std::move(layout)), owners_(std::move(owners)) {
  for (int part = owners_.size(); part < layout_.parts(); ++part) owners_.push_back(part % comm.size());
  if (single()) owners_.assign(1, 0);
  comm::agree(comm_, [&] {
    if (!first()) return;
    std::error_code error;
    const fs::path above = fs::path(path_).parent_path();
    if (!above.empty() && !fs::is_directory(above, error))
      fail(path_, ": cannot write this file: there is no folder ", above.string());
    if (fs::is_directory(path_, error)) fail(path_, ": cannot write this file: a folder has its name");
    lock_ = FileLock(draft(), lock_wait);
    fs::remove_all(draft_folder());
    if (!single()) make_folder_durably(draft_folder());
  });
  drafts_.emplace_back(draft());
  drafts_.emplace_back(draft_folder());
}

PartedWriter::~PartedWriter() {
  flushes_.clear();
  if (published_ || !first()) return;
  std::error_code ignored;  // what is left is removed by the next writer
  fs::remove_all(draft_folder(), ignored);
  fs::remove(draft(), ignored);
}

// What a write() gives, cut at the borders of parts.
struct PartedWriter::Parcels {
  struct Mine {
    Header header;
    const std::byte* data;
    Index ld_bytes;
  };
  std::vector<Mine> mine;         // of parts that this rank writes
  std::vector<std::byte> sent;    // of others' parts, by rank: headers, each with its numbers
  std::vector<Index> sent_bytes;  // to each rank
};

void PartedWriter::write(std::span<const SlabData> slabs) {
  Parcels parcels;
  comm::agree(comm_, [&] { cut(slabs, parcels); });

  const std::vector<Index> received_bytes = comm_.all_to_all(std::span<const Index>(parcels.sent_bytes));
  std::vector<std::byte> received;
  comm::agree(comm_,
              [&] { received.resize(std::accumulate(received_bytes.begin(), received_bytes.end(), std::size_t{0})); });
  comm_.all_to_all(parcels.sent.data(), std::span<const Index>(parcels.sent_bytes), received.data(),
                   std::span<const Index>(received_bytes));

  comm::agree(comm_, [&] {
    put_mine(parcels);
    put_received(received);
  });
}

void PartedWriter::cut(std::span<const SlabData> slabs, Parcels& parcels) const {
  std::vector<std::vector<std::byte>> out(comm_.size());
  for (const SlabData& given : slabs) {
    const DatasetShape& shape = layout_.datasets()[given.dataset];
    const Index columns = columns_of(shape, given.slab), row_bytes = columns * element_bytes(shape);
    if (given.slab.rows * row_bytes == 0) continue;
    const Index ld_bytes = given.ld > 0 ? given.ld * element_bytes(shape) : row_bytes;
    const Index last_row = given.slab.first_row + given.slab.rows;
    const auto& runs = layout_.of_dataset(given.dataset);
    auto run =
        std::partition_point(runs.begin(), runs.end(), [&](const auto& r) { return r.end() <= given.slab.first_row; });
    for (; run != runs.end() && run->first_row < last_row; ++run) {
      const Index begin = std::max(run->first_row, given.slab.first_row), end = std::min(run->end(), last_row);
      const Header header{run->part,   Index(given.dataset),    begin - run->first_row,
                          end - begin, given.slab.first_column, columns};
      const auto* from = static_cast<const std::byte*>(given.data) + (begin - given.slab.first_row) * ld_bytes;
      const int to = owner(run->part);
      if (to == comm_.rank()) {
        parcels.mine.push_back({header, from, ld_bytes});
        continue;
      }
      std::vector<std::byte>& buffer = out[to];
      const std::size_t at = buffer.size();
      buffer.resize(at + sizeof header + header.rows * row_bytes);
      std::memcpy(buffer.data() + at, &header, sizeof header);
      copy_rows(from, ld_bytes, header.rows, row_bytes, buffer.data() + at + sizeof header);
    }
  }
  for (std::vector<std::byte>& buffer : out) {
    parcels.sent_bytes.push_back(std::ssize(buffer));
    parcels.sent.insert(parcels.sent.end(), buffer.begin(), buffer.end());
    buffer = {};
  }
}

void PartedWriter::put_mine(const Parcels& parcels) {
  std::vector<std::byte> dense;
  for (const auto& [header, data, ld_bytes] : parcels.mine) {
    const Index row_bytes = bytes_of(header) / header.rows;
    if (ld_bytes == row_bytes) {
      put(header, data);
      continue;
    }
    dense.resize(bytes_of(header));
    copy_rows(data, ld_bytes, header.rows, row_bytes, dense.data());
    put(header, dense.data());
  }
}

void PartedWriter::put_received(std::span<const std::byte> received) {
  while (!received.empty()) {
    Header header{};
    std::memcpy(&header, received.data(), sizeof header);
    put(header, received.data() + sizeof header);
    received = received.subspan(sizeof header + bytes_of(header));
  }
}

Index PartedWriter::bytes_of(const Header& header) const {
  return header.rows * header.columns * element_bytes(layout_.datasets()[header.dataset]);
}

}  // namespace tesserec::store
