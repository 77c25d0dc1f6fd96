// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>
#include <sstream>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::store {
namespace {

std::uint64_t checksum_from(const File& file, const std::string& name) {
  const auto text = file.attribute<std::string>(name, "checksum");
  const auto checksum = checksum_of_text(text);
  if (!checksum)
    fail(file.path(), ": ", name, ": its checksum \"", text, "\" is not 16 hexadecimal digits, so the file is damaged");
  return *checksum;
}

constexpr Index state_piece_bytes = Index{256} << 20;  // largest piece of a dataset to read at once, or one row

constexpr const char* another_state =
    "; the file was written from another state: use one of the same names and shapes, or start without it";

void find_datasets(const File& file, const std::string& group, std::vector<std::string>& found) {
  for (const std::string& name : file.names(group.empty() ? "/" : group)) {
    const std::string whole = group.empty() ? name : group + "/" + name;
    if (file.is_dataset(whole))
      found.push_back(whole);
    else
      find_datasets(file, whole, found);
  }
}

void require_shapes(const File& file, const StateRecords& shapes) {
  for (const auto& [name, expected] : shapes) {
    if (!file.exists(name) || !file.is_dataset(name)) {
      std::vector<std::string> found;
      find_datasets(file, "", found);
      fail(file.path(), ": ", name, " (", expected.rows, " x ", expected.columns, ") is not in this file, which has ",
           join(found), another_state);
    }
    const std::vector<Index> found_shape = file.shape(name);
    if (found_shape == std::vector<Index>{expected.rows, expected.columns}) continue;
    fail(file.path(), ": ", name, " is ", join(found_shape, " x "), " in this file, but ", expected.rows, " x ",
         expected.columns, " is needed", another_state);
  }
}

void require_no_more(const File& file, const StateRecords& shapes) {
  std::vector<std::string> found;
  find_datasets(file, "", found);
  for (const std::string& name : found)
    if (shapes.count(name) == 0) fail(file.path(), ": this file has the unexpected dataset ", name, another_state);
}

/// Reads an item. Returns the checksum of the numbers in the file, or 0 unless its source rounds.
std::uint64_t read_item(const Exec& exec, const PartedFile& file, const StateItem& item, std::vector<float>& scratch) {
  std::uint64_t sum = 0;
  const Index columns = item.width();
  const Index row_bytes = std::max<Index>(1, columns) * Index{sizeof(float)};
  const Index step = std::max<Index>(1, state_piece_bytes / row_bytes);
  for (Index first = 0; first < item.slab.rows; first += step) {
    const Slab slab{item.slab.first_row + first, std::min(step, item.slab.rows - first), item.slab.first_column,
                    columns};
    const Index ld = item.source->ld();
    const Range rows{first, first + slab.rows};
    float* const target = item.source->in_place(rows);
    if (ld == columns && target != nullptr) {
      file.read(item.name, slab, target);
      continue;
    }
    scratch.resize(slab.rows * columns);
    file.read(item.name, slab, scratch.data());
    if (item.owned && item.source->rounds())
      sum += table_checksum(exec, item.name,
                            {scratch.data(), slab.first_row, slab.rows, slab.first_column, columns, columns});
    if (target == nullptr) {
      assert(ld == columns);
      item.source->write(exec, rows, scratch.data());
      continue;
    }
    for (Index row = 0; row < slab.rows; ++row) std::copy_n(scratch.data() + row * columns, columns, target + row * ld);
  }
  return sum;
}

/// Names the place of the first number whose square is not finite. There must be such a number.
std::string first_not_finite(const StateItem& item, Index first, Index rows, const float* data) {
  const Index columns = item.width();
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

}  // namespace

void add_shape(const std::string& name, const StateRecord& shape, StateRecords& shapes) {
  const auto [at, is_new] = shapes.try_emplace(name, StateRecord{shape.rows, shape.columns, 0});
  if (!is_new && (at->second.rows != shape.rows || at->second.columns != shape.columns))
    fail("the ranks disagree on the shape of ", name, ": ", at->second.rows, " x ", at->second.columns, " and ",
         shape.rows, " x ", shape.columns);
}
void add_shapes(const std::vector<StateItem>& items, StateRecords& shapes) {
  for (const StateItem& item : items) add_shape(item.name, {item.rows, item.columns, 0}, shapes);
}

std::map<std::string, std::uint64_t> stored_checksums(const PartedFile& file, const StateRecords& shapes,
                                                      Extent extent) {
  require_shapes(file.index(), shapes);
  if (extent == Extent::all) require_no_more(file.index(), shapes);
  std::map<std::string, std::uint64_t> stored;
  for (const auto& [name, shape] : shapes) stored[name] = checksum_from(file.index(), name);
  return stored;
}

std::map<std::string, std::uint64_t> read_items(const Exec& exec, const PartedFile& file,
                                                const std::vector<StateItem>& items) {
  std::map<std::string, std::uint64_t> sums;
  std::vector<float> scratch;
  for (const StateItem& item : items) {
    const std::uint64_t sum = read_item(exec, file, item, scratch);
    if (item.owned && item.source->rounds()) sums[item.name] += sum;
  }
  return sums;
}

std::vector<StateItem> without_rounded(std::vector<StateItem> items) {
  std::erase_if(items, [](const StateItem& item) { return item.source->rounds(); });
  return items;
}

void require_checksums(const PartedFile& file, const std::map<std::string, std::uint64_t>& stored,
                       const std::map<std::string, std::uint64_t>& held) {
  for (const auto& [name, sum] : held)
    if (sum != stored.at(name))
      fail(file.path(), ": ", name, " is damaged: its checksum is ", checksum_text(sum), ", but ",
           checksum_text(stored.at(name)), " was stored", another_checkpoint);
}

void read_state(const Exec& exec, const PartedFile& file, const std::vector<StateItem>& items, Extent extent) {
  StateRecords shapes;
  add_shapes(items, shapes);
  const std::map<std::string, std::uint64_t> stored = stored_checksums(file, shapes, extent);
  std::map<std::string, std::uint64_t> held = read_items(exec, file, items);
  for (const auto& [name, sum] : checksums_of(exec, without_rounded(items))) held[name] += sum;
  require_checksums(file, stored, held);
}

Index HostRows::max_rows() const {
  const SlabSource& source = *item_.source;
  if (source.in_place({0, item_.slab.rows}) != nullptr) return item_.slab.rows;
  return std::max<Index>(1, piece_bytes / (std::max<Index>(1, source.ld()) * Index{sizeof(float)}));
}

const float* HostRows::read(Index first, Index rows) {
  const SlabSource& source = *item_.source;
  const Range run{first, first + rows};
  if (const float* const data = source.in_place(run); data != nullptr) return data;
  staged_.resize(rows * source.ld());
  source.read(exec_, run, staged_.data());
  return staged_.data();
}

std::map<std::string, std::uint64_t> checksums_of(const Exec& exec, const std::vector<StateItem>& items,
                                                  std::string* not_finite) {
  std::map<std::string, std::uint64_t> sums;
  for (const StateItem& item : items) {
    if (!item.owned) continue;
    HostRows source_rows(exec, item);
    for (Index first = 0; first < item.slab.rows; first += source_rows.max_rows()) {
      const Index rows = std::min(source_rows.max_rows(), item.slab.rows - first);
      const float* const data = source_rows.read(first, rows);
      bool finite = true;
      const TableBlock block{
          data, item.slab.first_row + first, rows, item.slab.first_column, item.width(), item.source->ld()};
      sums[item.name] += table_checksum(exec, item.name, block, &finite);
      if (!finite && not_finite != nullptr && not_finite->empty())
        *not_finite = first_not_finite(item, first, rows, data);
    }
  }
  return sums;
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
