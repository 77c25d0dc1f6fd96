// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>

#include "part_images.hpp"
#include "sum_by_name.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::parallel_io {
namespace {

/// Throws Error unless the ranks together own as many elements as each matrix has. Collective.
void require_tiling(const comm::Communicator& comm, const store::StateRecords& shapes,
                    const std::vector<store::StateItem>& items) {
  std::map<std::string, std::uint64_t> owned;
  for (const store::StateItem& item : items)
    if (item.owned) owned[item.name] += item.slab.rows * item.width();
  for (const auto& [name, elements] : sum_by_name(comm, shapes, owned)) {
    const store::StateRecord& shape = shapes.at(name);
    if (elements != std::uint64_t(shape.rows * shape.columns))
      fail("the ranks own ", elements, " elements of ", name, ", which has ", shape.rows, " x ", shape.columns);
  }
}

store::PartsLayout parts_of(const store::StateRecords& shapes, Index part_bytes) {
  std::vector<std::vector<store::DatasetShape>> groups;
  for (const auto& [name, shape] : shapes)
    groups.push_back({{name, store::ElementType::f32, shape.rows, shape.columns}});
  return store::PartsLayout(std::move(groups), part_bytes);
}

Index bytes_of_slice(Index ranks) {
  return std::clamp<Index>((Index{128} << 20) / ranks, Index{256} << 10, Index{16} << 20);
}

using Slice = std::vector<store::PartsLayout::Run>;

/// Cuts the runs of a part into slices of at most `bytes` bytes, or of one row if a row is longer.
std::vector<Slice> slices_of(const store::PartsLayout& layout, int part, Index bytes) {
  std::vector<Slice> slices;
  Index capacity = 0;
  for (store::PartsLayout::Run run : layout.of_part(part)) {
    const Index row_bytes = layout.datasets()[run.dataset].row_bytes(), end = run.end();
    while (run.first_row < end) {
      run.rows = std::min(end - run.first_row, capacity / row_bytes);
      if (run.rows == 0) {
        slices.emplace_back();
        capacity = std::max(bytes, row_bytes);
        continue;
      }
      slices.back().push_back(run);
      capacity -= run.rows * row_bytes;
      run.first_row += run.rows;
    }
  }
  return slices;
}

/// Appends to `pieces` the rows of a run that `items` have. Rows of a device are copied into `staged`, which must
/// outlive `pieces`.
void add_pieces(const Exec& exec, const std::vector<const store::StateItem*>& items, const store::PartsLayout::Run& run,
                std::vector<PartedWriter::SlabData>& pieces, std::deque<store::HostRows>& staged) {
  for (const store::StateItem* item : items) {
    const Index begin = std::max(run.first_row, item->slab.first_row),
                end = std::min(run.end(), item->slab.first_row + item->slab.rows);
    if (begin < end)
      pieces.push_back({run.dataset,
                        {begin, end - begin, item->slab.first_column, item->width()},
                        staged.emplace_back(exec, *item).read(begin - item->slab.first_row, end - begin),
                        item->source->ld()});
  }
}

/// Returns the owner of each part. The rank with a part's first number owns it, which saves messages, up to an equal
/// number of parts for all ranks. Ranks with fewer parts own the rest. Collective.
std::vector<int> owners_of(const comm::Communicator& comm, const store::PartsLayout& layout,
                           const std::map<std::string, std::vector<const store::StateItem*>>& owned) {
  std::vector<Index> holders(layout.parts(), -1);
  for (int part = 0; part < layout.parts(); ++part) {
    if (layout.of_part(part).empty()) continue;
    const store::PartsLayout::Run& first = layout.of_part(part).front();
    const auto items = owned.find(layout.datasets()[first.dataset].name);
    if (items == owned.end()) continue;
    for (const store::StateItem* item : items->second)
      if (item->slab.first_column == 0 && item->slab.first_row <= first.first_row &&
          first.first_row < item->slab.first_row + item->slab.rows)
        holders[part] = comm.rank();
  }
  comm.max(std::span<Index>(holders));
  const int max_parts = (layout.parts() + comm.size() - 1) / comm.size();
  std::vector<int> owners(holders.size(), -1), counts(comm.size(), 0);
  for (std::size_t part = 0; part < owners.size(); ++part)
    if (const Index rank = holders[part]; rank >= 0 && counts[rank] < max_parts) {
      owners[part] = rank;
      ++counts[rank];
    }
  std::size_t next = 0;
  for (int& owner : owners) {
    if (owner >= 0) continue;
    while (counts[next] == max_parts) ++next;
    owner = next;
    ++counts[next];
  }
  return owners;
}

}  // namespace

StateWrite::StateWrite(const Exec& exec, const comm::Communicator& comm, const std::string& path,
                       const std::vector<store::StateItem>& items, const store::Attributes& attributes,
                       Index part_bytes) {
  const store::StateRecords shapes = state_shapes(comm, items);
  require_tiling(comm, shapes, items);
  std::string not_finite;
  const std::map<std::string, std::uint64_t> checksums = state_checksums(exec, comm, items, &not_finite);
  comm::agree_on<Diverged>(
      comm, not_finite.empty() ? "" : not_finite + "; a checkpoint holds only numbers with a finite square");

  std::map<std::string, std::vector<const store::StateItem*>> owned;
  for (const store::StateItem& item : items)
    if (item.owned) owned[item.name].push_back(&item);
  const store::PartsLayout parts = parts_of(shapes, part_bytes);
  const std::vector<int> owners = owners_of(comm, parts, owned);
  std::vector<std::vector<int>> parts_of_rank(comm.size());
  for (int part = 0; part < parts.parts(); ++part) parts_of_rank[owners[part]].push_back(part);
  writer_ = std::make_unique<PartedWriter>(comm, path, parts, owners);
  // Each round fills one part of every rank, slice by slice. A rank may hold a slice of each of these parts.
  const Index slice_bytes = bytes_of_slice(comm.size());
  for (std::size_t round = 0;; ++round) {
    std::vector<std::vector<Slice>> slices;
    std::size_t longest = 0;
    for (const std::vector<int>& list : parts_of_rank) {
      if (round >= list.size()) continue;
      slices.push_back(slices_of(parts, list[round], slice_bytes));
      longest = std::max(longest, slices.back().size());
    }
    if (slices.empty()) break;
    for (std::size_t s = 0; s < longest; ++s) {
      std::vector<PartedWriter::SlabData> pieces;
      std::deque<store::HostRows> staged;
      for (const std::vector<Slice>& part : slices)
        if (s < part.size())
          for (const store::PartsLayout::Run& run : part[s])
            add_pieces(exec, owned[parts.datasets()[run.dataset].name], run, pieces, staged);
      writer_->write(pieces);
    }
  }

  std::map<std::string, store::Attributes> of_datasets;
  for (const auto& [name, shape] : shapes) {
    records_[name] = {shape.rows, shape.columns, checksums.at(name)};
    of_datasets[name] = {{"checksum", store::checksum_text(checksums.at(name))}};
  }
  writer_->end(attributes, of_datasets);
}

StateWrite::~StateWrite() = default;

bool StateWrite::on_disk() const { return writer_->on_disk(); }

store::StateRecords StateWrite::finish() {
  writer_->prepare();
  writer_->publish();
  return records_;
}

double bytes_of_write(double state_bytes, Index part_bytes, int ranks) {
  constexpr double file_bytes = 12e6;  // HDF5, and the pages that are read back
  const double part = part_bytes > 0 ? double(part_bytes) : double(store::PartsLayout::automatic(Index(state_bytes)));
  const double parts = std::ceil(std::ceil(state_bytes / part) / ranks);
  const double images = std::min(parts * std::min(part, state_bytes), double(PartImages::max_flush_bytes) + part);
  const double slices = std::min(double(bytes_of_slice(ranks)), state_bytes / ranks);
  return images + file_bytes + 2 * slices * (1 - 1.0 / ranks);
}

store::StateRecords write_state(const Exec& exec, const comm::Communicator& comm, const std::string& path,
                                const std::vector<store::StateItem>& items, const store::Attributes& attributes,
                                Index part_bytes) {
  return StateWrite(exec, comm, path, items, attributes, part_bytes).finish();
}

}  // namespace tesserec::parallel_io
