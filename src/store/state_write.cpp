// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "state_layout.hpp"
#include <tesserec/store/agree.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::store {
namespace {

// Rows of an item that travel at once.
struct Piece {
  const StateItem* item;
  Index first, rows;
};

std::vector<Piece> pieces_of(const std::vector<StateItem>& items, const std::string& name) {
  std::vector<Piece> pieces;
  for (const StateItem& item : items) {
    if (item.name != name || !item.owned) continue;
    const Index row_bytes = std::max<Index>(1, columns_of(item)) * Index{sizeof(float)};
    const Index step = std::max<Index>(1, state_piece_bytes / row_bytes);
    for (Index first = 0; first < item.slab.rows; first += step)
      pieces.push_back({&item, first, std::min(step, item.slab.rows - first)});
  }
  return pieces;
}

void write_piece(File& file, const std::string& name, const Piece* piece, std::vector<float>& scratch) {
  if (piece == nullptr) return file.write<float>(name, Slab{}, nullptr);
  const StateItem& item = *piece->item;
  const Index columns = columns_of(item);
  const float* from = item.data + piece->first * item.ld;
  if (item.ld != columns) {
    scratch.resize(static_cast<std::size_t>(piece->rows * columns));
    for (Index row = 0; row < piece->rows; ++row)
      std::copy_n(from + row * item.ld, columns, scratch.data() + row * columns);
    from = scratch.data();
  }
  file.write(name, Slab{item.slab.first_row + piece->first, piece->rows, item.slab.first_column, columns}, from);
}

void require_tiling(const comm::Communicator& comm, const Layout& layout, const std::vector<StateItem>& items) {
  std::map<std::string, std::uint64_t> mine;
  for (const StateItem& item : items)
    if (item.owned) mine[item.name] += static_cast<std::uint64_t>(item.slab.rows * columns_of(item));
  for (const auto& [name, elements] : sum_by_name(comm, layout, mine)) {
    const LogicalShape shape = layout.at(name);
    if (elements != static_cast<std::uint64_t>(shape.rows * shape.columns))
      fail("the ranks own ", elements, " elements of ", name, ", which has ", shape.rows, " x ", shape.columns);
  }
}

}  // namespace

std::map<std::string, std::uint64_t> state_checksums(const Exec& exec, const comm::Communicator& comm,
                                                     const std::vector<StateItem>& items) {
  const Layout layout = common_layout(comm, items);
  std::map<std::string, std::uint64_t> mine;
  for (const StateItem& item : items)
    if (item.owned)
      mine[item.name] += table_checksum(exec, item.name, item.data, item.slab.first_row, item.slab.rows,
                                        item.slab.first_column, columns_of(item), item.ld);
  return sum_by_name(comm, layout, mine);
}

StateRecords write_state(const Exec& exec, const comm::Communicator& comm, const std::string& path,
                         const std::vector<StateItem>& items, const Attributes& attributes) {
  const Layout layout = common_layout(comm, items);
  require_tiling(comm, layout, items);
  const std::map<std::string, std::uint64_t> checksums = state_checksums(exec, comm, items);

  // Each step is agreed on, so that a full disk seen by one rank ends all.
  std::unique_ptr<File> file;
  agree(comm, [&] { file = std::make_unique<File>(File::create(path, comm)); });
  StateRecords records;
  agree(comm, [&] {
    for (const auto& [name, shape] : layout) {
      file->create_dataset<float>(name, {shape.rows, shape.columns});
      file->set_attribute<std::string>(name, "checksum", checksum_text(checksums.at(name)));
      records[name] = {shape.rows, shape.columns, checksums.at(name), file->offset(name)};
    }
    for (const auto& [name, value] : attributes)
      std::visit([&, key = name](const auto& v) { file->set_attribute("/", key, v); }, value);
    file->set_attribute<std::string>("/", "attributes_checksum", checksum_text(attributes_checksum(attributes)));
  });
  std::vector<float> scratch;
  for (const auto& [name, shape] : layout) {
    const std::vector<Piece> pieces = pieces_of(items, name);
    const Index count = comm.max(static_cast<Index>(pieces.size()));
    for (Index i = 0; i < count; ++i)
      agree(comm,
            [&] { write_piece(*file, name, i < static_cast<Index>(pieces.size()) ? &pieces[i] : nullptr, scratch); });
  }
  agree(comm, [&] { file->close(); });
  return records;
}

}  // namespace tesserec::store
