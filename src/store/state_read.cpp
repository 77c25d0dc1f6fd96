// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <optional>

#include "manifest.hpp"
#include "state_layout.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::store {
namespace {

std::uint64_t checksum_from(const File& file, const std::string& name) {
  const auto checksum = checksum_of_text(file.attribute<std::string>(name, "checksum"));
  if (!checksum) fail(file.path(), ": ", name, ": its checksum is not 16 hexadecimal digits: the file is damaged");
  return *checksum;
}

constexpr const char* another_state =
    ": the file was written from another state; read it into one of the same names and shapes, or start without it";

void find_datasets(const File& file, const std::string& group, std::vector<std::string>& found) {
  for (const std::string& name : file.names(group.empty() ? "/" : group)) {
    const std::string whole = group.empty() ? name : group + "/" + name;
    if (file.is_dataset(whole))
      found.push_back(whole);
    else
      find_datasets(file, whole, found);
  }
}

void require_shapes(const File& file, const Layout& layout) {
  for (const auto& [name, want] : layout) {
    if (!file.exists(name) || !file.is_dataset(name)) {
      std::vector<std::string> found;
      find_datasets(file, "", found);
      fail(file.path(), ": ", name, " (", want.rows, " x ", want.columns,
           ") is wanted, which this file does not have (it has ", join(found), ")", another_state);
    }
    const std::vector<Index> have = file.shape(name);
    if (have == std::vector<Index>{want.rows, want.columns}) continue;
    fail(file.path(), ": ", name, " is ", join(have, " x "), " in this file, and ", want.rows, " x ", want.columns,
         " is wanted", another_state);
  }
}

void require_no_more(const File& file, const Layout& layout) {
  std::vector<std::string> found;
  find_datasets(file, "", found);
  for (const std::string& name : found)
    if (layout.count(name) == 0) fail(file.path(), ": this file has ", name, ", which is not wanted", another_state);
}

void read_item(const Exec& exec, const PartedFile& file, const StateItem& item, std::vector<float>& scratch) {
  const Index columns = columns_of(item);
  const Index row_bytes = std::max<Index>(1, columns) * Index{sizeof(float)};
  const Index step = std::max<Index>(1, state_piece_bytes / row_bytes);
  for (Index first = 0; first < item.slab.rows; first += step) {
    const Slab slab{item.slab.first_row + first, std::min(step, item.slab.rows - first), item.slab.first_column,
                    columns};
    const Index ld = item.source->ld();
    const Range rows{first, first + slab.rows};
    float* const there = item.source->in_place(rows);
    if (ld == columns && there != nullptr) {
      file.read(item.name, slab, there);
      continue;
    }
    scratch.resize(slab.rows * columns);
    file.read(item.name, slab, scratch.data());
    if (there == nullptr) {
      assert(ld == columns);
      item.source->write(exec, rows, scratch.data());
      continue;
    }
    for (Index row = 0; row < slab.rows; ++row) std::copy_n(scratch.data() + row * columns, columns, there + row * ld);
  }
}

}  // namespace

PartedFile open_verified(const comm::Communicator& comm, const std::string& path, const std::string* seal) {
  PartedFile file = PartedFile::open(path);
  if (seal != nullptr && file.seal() != *seal)
    fail(path, " is damaged: it is not the file that manifest.json names, it is of another checkpoint");
  file.verify_parts(comm.rank(), comm.size());
  return file;
}

PartedFile open_state(const comm::Communicator& comm, const std::string& path) {
  std::optional<PartedFile> file;
  comm::agree(comm, [&] { file.emplace(open_verified(comm, path)); });
  comm::require_same(comm, {{path, file->seal().empty() ? "without a seal" : "seal " + file->seal()}},
                     "all ranks must read the same file: is one of them an older copy on another node?");
  return std::move(*file);
}

void read_state(const Exec& exec, const comm::Communicator& comm, const PartedFile& file,
                const std::vector<StateItem>& items, Extent extent) {
  const Layout layout = common_layout(comm, items);
  std::map<std::string, std::uint64_t> stored;
  std::vector<float> scratch;
  comm::agree(comm, [&] {
    require_shapes(file.index(), layout);
    if (extent == Extent::all) require_no_more(file.index(), layout);
    for (const auto& [name, shape] : layout) stored[name] = checksum_from(file.index(), name);
    for (const StateItem& item : items) read_item(exec, file, item, scratch);
  });
  for (const auto& [name, sum] : state_checksums(exec, comm, items))
    if (sum != stored[name])
      fail(file.path(), ": ", name, " is damaged: its checksum is ", checksum_text(sum), ", ",
           checksum_text(stored[name]), " was stored", another_checkpoint);
}

Attributes read_attributes(const PartedFile& file) {
  Attributes attributes;
  for (const std::string& name : file.index().attribute_names("/"))
    if (name != "parts") attributes[name] = file.index().any_attribute("/", name);
  return attributes;
}

StateRecords list_state(const PartedFile& file) {
  StateRecords records;
  std::vector<std::string> names;
  find_datasets(file.index(), "", names);
  for (const std::string& name : names) {
    const std::vector<Index> shape = file.index().shape(name);
    if (shape.size() != 2) fail(file.path(), ": ", name, " is not a matrix");
    records[name] = {shape[0], shape[1], checksum_from(file.index(), name)};
  }
  return records;
}

}  // namespace tesserec::store
