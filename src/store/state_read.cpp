// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "manifest.hpp"
#include "state_layout.hpp"
#include <tesserec/store/agree.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::store {
namespace {

std::uint64_t checksum_from(const File& file, const std::string& name) {
  const std::string text = file.attribute<std::string>(name, "checksum");
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    fail(file.path(), ": ", name, ": its checksum is not 16 hexadecimal digits: the file is damaged");
  return std::stoull(text, nullptr, 16);
}

constexpr const char* another_model =
    ": it is of another model or optimizer; set the deck back, or start anew with checkpoint.resume = "
    "\"never\"";

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
      std::string list;
      for (const std::string& dataset : found) list += (list.empty() ? "" : ", ") + dataset;
      fail(file.path(), ": the model wants ", name, " (", want.rows, " x ", want.columns,
           "), which this checkpoint does not have (it has ", list, ")", another_model);
    }
    const std::vector<Index> have = file.shape(name);
    if (have == std::vector<Index>{want.rows, want.columns}) continue;
    std::string text;
    for (const Index extent : have) text += (text.empty() ? "" : " x ") + std::to_string(extent);
    fail(file.path(), ": ", name, " is ", text, " in this checkpoint, and ", want.rows, " x ", want.columns,
         " in the model", another_model);
  }
}

void require_no_more(const File& file, const Layout& layout) {
  std::vector<std::string> found;
  find_datasets(file, "", found);
  for (const std::string& name : found)
    if (layout.count(name) == 0)
      fail(file.path(), ": this checkpoint has ", name, ", which the model does not have", another_model);
}

// This rank's share of the rows of one dataset, as they lie in the file.
std::uint64_t share_checksum(const Exec& exec, const comm::Communicator& comm, const File& file,
                             const std::string& name, LogicalShape shape, std::vector<float>& scratch) {
  const Index begin = shape.rows * comm.rank() / comm.size(), end = shape.rows * (comm.rank() + 1) / comm.size();
  constexpr Index bytes = Index{16} << 20;
  const Index step = std::max<Index>(1, bytes / std::max<Index>(1, shape.columns * Index{sizeof(float)}));
  std::uint64_t sum = 0;
  for (Index row = begin; row < end; row += step) {
    const Index rows = std::min(step, end - row);
    scratch.resize(static_cast<std::size_t>(rows * shape.columns));
    file.read(name, Slab{row, rows}, scratch.data());
    sum += table_checksum(exec, name, scratch.data(), row, rows, 0, shape.columns, shape.columns);
  }
  return sum;
}

void read_item(const File& file, const StateItem& item, std::vector<float>& scratch) {
  const Index columns = columns_of(item);
  const Index row_bytes = std::max<Index>(1, columns) * Index{sizeof(float)};
  const Index step = std::max<Index>(1, state_piece_bytes / row_bytes);
  for (Index first = 0; first < item.slab.rows; first += step) {
    const Slab slab{item.slab.first_row + first, std::min(step, item.slab.rows - first), item.slab.first_column,
                    columns};
    float* to = item.data + first * item.ld;
    if (item.ld == columns) {
      file.read(item.name, slab, to);
      continue;
    }
    scratch.resize(static_cast<std::size_t>(slab.rows * columns));
    file.read(item.name, slab, scratch.data());
    for (Index row = 0; row < slab.rows; ++row)
      std::copy_n(scratch.data() + row * columns, columns, to + row * item.ld);
  }
}

Attributes attributes_of(const File& file) {
  Attributes attributes;
  for (const std::string& name : file.attribute_names("/"))
    if (name != "attributes_checksum") attributes[name] = file.any_attribute("/", name);
  if (file.attribute<std::string>("/", "attributes_checksum") != checksum_text(attributes_checksum(attributes)))
    fail(file.path(), ": the attributes of / differ from their checksum: the file is damaged");
  return attributes;
}

}  // namespace

void read_state(const Exec& exec, const comm::Communicator& comm, const std::string& path,
                const std::vector<StateItem>& items, Extent extent) {
  const Layout layout = common_layout(comm, items);
  std::unique_ptr<File> file;
  std::map<std::string, std::uint64_t> mine, stored;
  std::vector<float> scratch;
  agree(comm, [&] {
    file = std::make_unique<File>(File::open(path));
    require_shapes(*file, layout);
    if (extent == Extent::all) require_no_more(*file, layout);
    for (const auto& [name, shape] : layout) {
      stored[name] = checksum_from(*file, name);
      mine[name] = share_checksum(exec, comm, *file, name, shape, scratch);
    }
  });
  for (const auto& [name, sum] : sum_by_name(comm, layout, mine))
    if (sum != stored[name])
      fail(path, ": ", name, " is damaged: its checksum is ", checksum_text(sum), ", ", checksum_text(stored[name]),
           " was stored", another_checkpoint);
  agree(comm, [&] {
    for (const StateItem& item : items) read_item(*file, item, scratch);
  });
}

Attributes read_attributes(const comm::Communicator& comm, const std::string& path) {
  Attributes attributes;
  agree(comm, [&] { attributes = attributes_of(File::open(path)); });
  return attributes;
}

StateRecords list_state(const comm::Communicator& comm, const std::string& path) {
  StateRecords records;
  agree(comm, [&] {
    const File file = File::open(path);
    std::vector<std::string> names;
    find_datasets(file, "", names);
    for (const std::string& name : names) {
      const std::vector<Index> shape = file.shape(name);
      if (shape.size() != 2) fail(path, ": ", name, " is not a matrix");
      records[name] = {shape[0], shape[1], checksum_from(file, name), file.offset(name)};
    }
  });
  return records;
}

}  // namespace tesserec::store
