// SPDX-License-Identifier: Apache-2.0
// Reading and writing of slabs of datasets.
#include <algorithm>
#include <array>
#include <cstdint>

#include "file_impl.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::store {
namespace {

std::string text_of(const std::vector<Index>& shape) { return "[" + join(shape) + "]"; }

// A slab with resolved columns; a row has `width` elements.
struct Block {
  Index first_row, rows, first_column, columns, width;
};

Block resolve(const std::string& path, const std::string& name, const std::vector<Index>& shape, const Slab& slab) {
  const auto refuse = [&](const char* reason) {
    fail(path, ": ", name, " has shape ", text_of(shape), ": ", reason, " (rows ", slab.first_row, " to ",
         slab.first_row + slab.rows, ", first column ", slab.first_column, ", ", slab.columns, " columns)");
  };
  if (shape.empty()) refuse("a single value has no rows");
  if (slab.rows < 0 || slab.first_row < 0 || slab.first_row > shape[0] - slab.rows) refuse("the rows are out of range");
  Block block{slab.first_row, slab.rows, slab.first_column, slab.columns, 1};
  if (shape.size() == 2) {
    if (block.columns < 0) block.columns = shape[1] - block.first_column;
    if (block.first_column < 0 || block.columns < 0 || block.first_column > shape[1] - block.columns)
      refuse("the columns are out of range");
    block.width = block.columns;
    return block;
  }
  const bool one_column = shape.size() == 1 && block.columns == 1;
  if (block.first_column != 0 || (block.columns >= 0 && !one_column)) refuse("columns need two dimensions");
  for (std::size_t i = 1; i < shape.size(); ++i) block.width *= shape[i];
  return block;
}

// Selections of one block, which is not empty, in the file and, contiguous, in memory.
struct Selection {
  Handle file, memory;
};

Selection select(const std::string& path, const std::string& name, hid_t dataset, const std::vector<Index>& shape,
                 const Block& block) {
  Handle file(check(H5Dget_space(dataset), path, name, "get its shape"), H5Sclose);
  const hsize_t size = block.rows * block.width;
  Handle memory(check(H5Screate_simple(1, &size, nullptr), path, name, "describe memory"), H5Sclose);
  std::array<hsize_t, H5S_MAX_RANK> start{}, count{};
  std::copy(shape.begin(), shape.end(), count.begin());
  start[0] = block.first_row;
  count[0] = block.rows;
  if (shape.size() == 2) {
    start[1] = block.first_column;
    count[1] = block.columns;
  }
  check(H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), path, name,
        "select rows");
  return {std::move(file), std::move(memory)};
}

void require_numbers(const std::string& path, const std::string& name, hid_t dataset) {
  const Handle type(check(H5Dget_type(dataset), path, name, "get its type"), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_ENUM) fail(path, ": ", name, " does not hold numbers");
}

Handle creation_list(const std::string& path, const std::string& name) {
  Handle list(check(H5Pcreate(H5P_DATASET_CREATE), path, name, "prepare it"), H5Pclose);
  check(H5Pset_obj_track_times(list, false), path, name, "turn times off");
  return list;
}

Handle data_space(const std::string& path, const std::string& name, const std::vector<Index>& shape) {
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  return {check(shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(int(shape.size()), extents.data(), nullptr),
                path, name, "describe its shape"),
          H5Sclose};
}

}  // namespace

void File::Impl::create_dataset(const std::string& name, const std::vector<Index>& shape, hid_t type,
                                hid_t creation) const {
  const std::string whole = plain(name);
  if (whole.empty()) fail(path, ": a dataset needs a name");
  if (exists(whole)) fail(path, ": ", name, " exists already");
  make_groups(whole);
  const Handle space = data_space(path, name, shape);
  const Handle dataset(check(H5Dcreate2(file, whole.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), path,
                             name, "create the dataset"),
                       H5Dclose);
}

template <class T>
void File::create_dataset(const std::string& name, const std::vector<Index>& shape) {
  const auto lock = hdf5_lock();
  const Handle creation = creation_list(impl_->path, name);
  check(H5Pset_layout(creation, H5D_CONTIGUOUS), impl_->path, name, "choose a contiguous layout");
  check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), impl_->path, name, "choose early storage");
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), impl_->path, name, "turn filling off");
  impl_->create_dataset(name, shape, types_of(T{}).disk, creation);
}

template <class T>
void File::create_virtual(const std::string& name, const std::vector<Index>& shape,
                          const std::vector<Source>& sources) {
  const auto lock = hdf5_lock();
  const Handle creation = creation_list(impl_->path, name);
  const std::string plain = Impl::plain(name);
  for (const Source& source : sources) {
    std::vector<hsize_t> start(shape.size(), 0), count(shape.begin(), shape.end());
    start[0] = source.first_row;
    count[0] = source.rows;
    const Handle target_space = data_space(impl_->path, name, shape);
    check(H5Sselect_hyperslab(target_space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), impl_->path,
          name, "select rows");
    const Handle source_space = data_space(impl_->path, name, {count.begin(), count.end()});
    check(H5Pset_virtual(creation, target_space, source.file.c_str(), ("/" + plain).c_str(), source_space), impl_->path,
          name, "name a part");
  }
  impl_->create_dataset(name, shape, types_of(T{}).disk, creation);
}

template <class T>
void File::write(const std::string& name, const Slab& slab, const T* data) {
  const auto lock = hdf5_lock();
  const Handle dataset = impl_->open_dataset(name);
  const std::vector<Index> extents = shape(name);
  const Block block = resolve(impl_->path, name, extents, slab);
  if (block.rows * block.width == 0) return;
  const Selection at = select(impl_->path, name, dataset, extents, block);
  check(H5Dwrite(dataset, types_of(T{}).memory, at.memory, at.file, H5P_DEFAULT, data), impl_->path, name, "write it");
}

template <class T>
void File::read(const std::string& name, const Slab& slab, T* data) const {
  if (impl_->foreign) {
    impl_->foreign->read(name, slab, data);
    return impl_->require_unchanged();
  }
  const auto lock = hdf5_lock();
  const Handle dataset = impl_->open_dataset(name);
  require_numbers(impl_->path, name, dataset);
  impl_->require_own_numbers(name, dataset);
  const std::vector<Index> extents = shape(name);
  const Block block = resolve(impl_->path, name, extents, slab);
  if (block.rows * block.width == 0) return;
  const Selection at = select(impl_->path, name, dataset, extents, block);
  check(H5Dread(dataset, types_of(T{}).memory, at.memory, at.file, H5P_DEFAULT, data), impl_->path, name, "read it");
  impl_->require_unchanged();
}

template <class T>
void File::write_all(const std::string& name, const std::vector<Index>& shape, const T* data) {
  const auto lock = hdf5_lock();
  create_dataset<T>(name, shape);
  if (!shape.empty()) return write(name, Slab{0, shape[0]}, data);
  const Handle dataset = impl_->open_dataset(name);
  check(H5Dwrite(dataset, types_of(T{}).memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), impl_->path, name, "write it");
}

template <class T>
std::vector<T> File::read_all(const std::string& name) const {
  if (impl_->foreign) {
    std::vector<T> values = impl_->foreign->call<&File::read_all<T>>(name);
    impl_->require_unchanged();
    return values;
  }
  const auto lock = hdf5_lock();
  const Handle dataset = impl_->open_dataset(name);
  require_numbers(impl_->path, name, dataset);
  impl_->require_own_numbers(name, dataset);
  Index size = 1;
  for (const Index extent : shape(name)) size *= extent;
  std::vector<T> values(size);
  if (size > 0)
    check(H5Dread(dataset, types_of(T{}).memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), impl_->path, name,
          "read it");
  impl_->require_unchanged();
  return values;
}

#define TESSEREC_INSTANTIATE(T)                                                                                     \
  template void File::create_dataset<T>(const std::string&, const std::vector<Index>&);                             \
  template void File::create_virtual<T>(const std::string&, const std::vector<Index>&, const std::vector<Source>&); \
  template void File::write<T>(const std::string&, const Slab&, const T*);                                          \
  template void File::read<T>(const std::string&, const Slab&, T*) const;                                           \
  template void File::write_all<T>(const std::string&, const std::vector<Index>&, const T*);                        \
  template std::vector<T> File::read_all<T>(const std::string&) const;
TESSEREC_INSTANTIATE(float)
TESSEREC_INSTANTIATE(double)
TESSEREC_INSTANTIATE(std::int32_t)
TESSEREC_INSTANTIATE(std::int64_t)
TESSEREC_INSTANTIATE(std::uint8_t)
#undef TESSEREC_INSTANTIATE

}  // namespace tesserec::store
