// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>
#include <sstream>

#include "state_layout.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::store {
namespace {

void require_tiling(const comm::Communicator& comm, const Layout& layout, const std::vector<StateItem>& items) {
  std::map<std::string, std::uint64_t> mine;
  for (const StateItem& item : items)
    if (item.owned) mine[item.name] += item.slab.rows * columns_of(item);
  for (const auto& [name, elements] : sum_by_name(comm, layout, mine)) {
    const LogicalShape shape = layout.at(name);
    if (elements != std::uint64_t(shape.rows * shape.columns))
      fail("the ranks own ", elements, " elements of ", name, ", which has ", shape.rows, " x ", shape.columns);
  }
}

/// Tells where the first number stands whose square is not finite; one is there.
std::string first_not_finite(const StateItem& item, Index first, Index rows, const float* data) {
  const Index columns = columns_of(item);
  for (Index row = first; row < first + rows; ++row)
    for (Index column = 0; column < columns; ++column) {
      const float value = data[(row - first) * item.source->ld() + column];
      if (std::isfinite(value * value)) continue;
      std::ostringstream text;
      text << item.name << " is ";
      if (std::isnan(value))
        text << "not a number";
      else if (std::isinf(value))
        text << "infinite";
      else
        text << value;
      text << " in row " << item.slab.first_row + row << ", column " << item.slab.first_column + column;
      return text.str();
    }
  return "";
}

PartsLayout parts_of(const Layout& layout, Index part_bytes) {
  std::vector<std::vector<DatasetShape>> groups;
  for (const auto& [name, shape] : layout) groups.push_back({{name, ElementType::f32, shape.rows, shape.columns}});
  return PartsLayout(std::move(groups), part_bytes);
}

using Slice = std::vector<PartsLayout::Run>;

/// The runs of a part, cut so that a slice has at most so many bytes, or one row.
std::vector<Slice> slices_of(const PartsLayout& layout, int part, Index bytes) {
  std::vector<Slice> slices;
  Index room = 0;
  for (PartsLayout::Run run : layout.of_part(part)) {
    const Index row_bytes = layout.datasets()[run.dataset].row_bytes(), end = run.end();
    while (run.first_row < end) {
      run.rows = std::min(end - run.first_row, room / row_bytes);
      if (run.rows == 0) {
        slices.emplace_back();
        room = std::max(bytes, row_bytes);
        continue;
      }
      slices.back().push_back(run);
      room -= run.rows * row_bytes;
      run.first_row += run.rows;
    }
  }
  return slices;
}

/// Adds what these items own of a run of rows; that of a device is copied to `staged`.
void add_pieces(const Exec& exec, const std::vector<const StateItem*>& items, const PartsLayout::Run& run,
                std::vector<PartedWriter::SlabData>& pieces, std::deque<HostRows>& staged) {
  for (const StateItem* item : items) {
    const Index begin = std::max(run.first_row, item->slab.first_row),
                end = std::min(run.end(), item->slab.first_row + item->slab.rows);
    if (begin < end)
      pieces.push_back({run.dataset,
                        {begin, end - begin, item->slab.first_column, columns_of(*item)},
                        staged.emplace_back(exec, *item).read(begin - item->slab.first_row, end - begin),
                        item->source->ld()});
  }
}

/// The rank that holds a part's first numbers writes it, so that little travels, as long as all write as many.
std::vector<int> owners_of(const comm::Communicator& comm, const PartsLayout& layout,
                           const std::map<std::string, std::vector<const StateItem*>>& owned) {
  std::vector<Index> holders(layout.parts(), -1);
  for (int part = 0; part < layout.parts(); ++part) {
    if (layout.of_part(part).empty()) continue;
    const PartsLayout::Run& first = layout.of_part(part).front();
    const auto items = owned.find(layout.datasets()[first.dataset].name);
    if (items == owned.end()) continue;
    for (const StateItem* item : items->second)
      if (item->slab.first_column == 0 && item->slab.first_row <= first.first_row &&
          first.first_row < item->slab.first_row + item->slab.rows)
        holders[part] = comm.rank();
  }
  comm.max(std::span<Index>(holders));
  const int most = (layout.parts() + comm.size() - 1) / comm.size();
  std::vector<int> owners(holders.size(), -1), held(comm.size(), 0);
  for (std::size_t part = 0; part < owners.size(); ++part)
    if (const Index rank = holders[part]; rank >= 0 && held[rank] < most) {
      owners[part] = rank;
      ++held[rank];
    }
  std::size_t next = 0;
  for (int& owner : owners) {
    if (owner >= 0) continue;
    while (held[next] == most) ++next;
    owner = next;
    ++held[next];
  }
  return owners;
}

}  // namespace

std::map<std::string, std::uint64_t> state_checksums(const Exec& exec, const comm::Communicator& comm,
                                                     const std::vector<StateItem>& items, std::string* not_finite) {
  const Layout layout = common_layout(comm, items);
  std::map<std::string, std::uint64_t> mine;
  comm::agree(comm, [&] {
    for (const StateItem& item : items) {
      if (!item.owned) continue;
      HostRows all(exec, item);
      for (Index first = 0; first < item.slab.rows; first += all.most()) {
        const Index rows = std::min(all.most(), item.slab.rows - first);
        const float* const data = all.read(first, rows);
        bool finite = true;
        const TableBlock block{
            data, item.slab.first_row + first, rows, item.slab.first_column, columns_of(item), item.source->ld()};
        mine[item.name] += table_checksum(exec, item.name, block, &finite);
        if (!finite && not_finite != nullptr && not_finite->empty())
          *not_finite = first_not_finite(item, first, rows, data);
      }
    }
  });
  return sum_by_name(comm, layout, mine);
}

StateRecords write_state(const Exec& exec, const comm::Communicator& comm, const std::string& path,
                         const std::vector<StateItem>& items, const Attributes& attributes, Index part_bytes) {
  const Layout layout = common_layout(comm, items);
  require_tiling(comm, layout, items);
  std::string not_finite;
  const std::map<std::string, std::uint64_t> checksums = state_checksums(exec, comm, items, &not_finite);
  comm::agree_on<Diverged>(comm,
                           not_finite.empty() ? "" : not_finite + ": numbers without a finite square are not stored");

  std::map<std::string, std::vector<const StateItem*>> owned;
  for (const StateItem& item : items)
    if (item.owned) owned[item.name].push_back(&item);
  const PartsLayout parts = parts_of(layout, part_bytes);
  const std::vector<int> owners = owners_of(comm, parts, owned);
  std::vector<std::vector<int>> parts_of_rank(comm.size());
  for (int part = 0; part < parts.parts(); ++part) parts_of_rank[owners[part]].push_back(part);
  PartedWriter writer(comm, path, parts, owners);
  // Every rank is given one part after the other, all at a time, slice by slice; a rank may hold a slice of each.
  const Index ranks = comm.size();
  const Index slice_bytes = std::clamp<Index>((Index{128} << 20) / ranks, Index{256} << 10, Index{16} << 20);
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
      std::deque<HostRows> staged;
      for (const std::vector<Slice>& part : slices)
        if (s < part.size())
          for (const PartsLayout::Run& run : part[s])
            add_pieces(exec, owned[parts.datasets()[run.dataset].name], run, pieces, staged);
      writer.write(pieces);
    }
  }

  StateRecords records;
  std::map<std::string, Attributes> of_datasets;
  for (const auto& [name, shape] : layout) {
    records[name] = {shape.rows, shape.columns, checksums.at(name)};
    of_datasets[name] = {{"checksum", checksum_text(checksums.at(name))}};
  }
  writer.prepare(attributes, of_datasets);
  writer.publish();
  return records;
}

}  // namespace tesserec::store
