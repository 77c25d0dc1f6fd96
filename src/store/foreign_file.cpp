// SPDX-License-Identifier: Apache-2.0
#include "foreign_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <optional>
#include <typeinfo>

#include <fcntl.h>
#include <unistd.h>

#include "file_impl.hpp"
#include "handle.hpp"
#include <tesserec/core/memory.hpp>

namespace tesserec::store {
namespace {

constexpr Index piece_bytes = Index{8} << 20;  // size of one answer, unless a row is longer

/// Returns the open files by number. Runs in the process.
std::map<Index, File>& files() {
  static std::map<Index, File> instance;
  return instance;
}

}  // namespace

ForeignFile::ForeignFile(const std::string& path, Trust trust)
    : process_(ForeignProcess::shared()), path_(path), file_(path, O_RDONLY, "open it") {
  static Index newest = 0;
  number_ = ++newest;
  ask<void>(&serve_open, path, trust);
}

ForeignFile::~ForeignFile() {
  try {
    ask<void>(&serve_close);
  } catch (const std::exception&) {  // The process has ended, which closed its files.
  }
}

const File& ForeignFile::opened(Index number) { return files().at(number); }

Bytes ForeignFile::serve_open(Decoder from) {
  const auto number = from.get<Index>();
  const auto path = from.get<std::string>();
  files().emplace(number, File::open_in_process(path, from.get<Trust>()));
  return {};
}

Bytes ForeignFile::serve_close(Decoder from) {
  files().erase(from.get<Index>());
  return {};
}

const std::vector<Index>& ForeignFile::shape(const std::string& dataset) const {
  const auto lock = hdf5_lock();
  const auto known = shapes_.find(dataset);
  return known != shapes_.end() ? known->second : shapes_[dataset] = call<&File::shape>(dataset);
}

template <class T>
Bytes ForeignFile::serve_read(Decoder from) {
  const File& file = opened(from.get<Index>());
  const auto dataset = from.get<std::string>();
  const auto slab = from.get<Slab>();
  Bytes bytes(from.get<Index>() * Index{sizeof(T)});
  file.read(dataset, slab, reinterpret_cast<T*>(bytes.data()));
  return bytes;
}

template <class T>
Bytes ForeignFile::serve_flat(Decoder from) {
  const File& file = opened(from.get<Index>());
  const auto lock = hdf5_lock();
  Bytes bytes;
  encode(bytes, file.impl_->flat_offset(from.get<std::string>(), types_of(T{}).memory));
  return bytes;
}

template <class T>
Index ForeignFile::flat_offset(const std::string& dataset) const {
  const auto lock = hdf5_lock();
  const std::string key = dataset + typeid(T).name();
  const auto known = offsets_.find(key);
  return known != offsets_.end() ? known->second : offsets_[key] = ask<Index>(&serve_flat<T>, dataset);
}

template <class T>
bool ForeignFile::read_flat(const std::string& dataset, const Slab& slab, T* data) const {
  const std::vector<Index>& extents = shape(dataset);
  if (extents.empty() || slab.rows <= 0 || slab.first_row < 0 || slab.first_row > extents[0] - slab.rows) return false;
  Index width = 1;
  for (std::size_t i = 1; i < extents.size(); ++i) width = product({width, extents[i]}).value_or(-1);
  if (width <= 0 || slab.first_column != 0) return false;
  if (slab.columns >= 0 && (extents.size() > 2 || slab.columns != width)) return false;
  const Index offset = flat_offset<T>(dataset);
  const std::optional<Index> first = product({slab.first_row, width, Index{sizeof(T)}}),
                             bytes = product({slab.rows, width, Index{sizeof(T)}});
  if (offset < 0 || !first || !bytes || *first > std::numeric_limits<Index>::max() - offset) return false;
  for (Index done = 0; done < *bytes;) {
    const ssize_t got =
        ::pread(file_, reinterpret_cast<char*>(data) + done, std::size_t(*bytes - done), offset + *first + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // HDF5 then reports the reason.
    done += got;
  }
  return true;
}

template <class T>
void ForeignFile::read(const std::string& dataset, const Slab& slab, T* data) const {
  if (read_flat(dataset, slab, data)) return;
  const std::vector<Index>& extents = shape(dataset);
  Index width = 1;
  for (std::size_t i = 1; i < extents.size(); ++i) width *= extents[i];
  if (extents.size() == 2 && slab.columns >= 0) width = slab.columns;
  if (extents.size() == 2 && slab.columns < 0) width -= slab.first_column;
  const Index step = std::max<Index>(1, piece_bytes / (std::max<Index>(1, width) * Index{sizeof(T)}));
  for (Index first = 0; first < std::max<Index>(1, slab.rows); first += step) {
    const Index rows = std::min(step, slab.rows - first);
    const Slab piece{slab.first_row + first, rows, slab.first_column, slab.columns};
    const Index size = std::max<Index>(0, rows * width);
    Bytes arguments;
    encode(arguments, number_);
    encode(arguments, dataset);
    encode(arguments, piece);
    encode(arguments, size);
    const Bytes answer = process_->call(path_, &serve_read<T>, arguments);
    if (std::ssize(answer) != size * Index{sizeof(T)})
      fail(path_, ": its reading process returned ", answer.size(), " bytes instead of ", size * Index{sizeof(T)},
           ", so the file is damaged; recreate it, or inspect it with h5dump");
    if (size > 0) std::memcpy(data + first * width, answer.data(), answer.size());
  }
}

template void ForeignFile::read(const std::string&, const Slab&, float*) const;
template void ForeignFile::read(const std::string&, const Slab&, double*) const;
template void ForeignFile::read(const std::string&, const Slab&, std::int32_t*) const;
template void ForeignFile::read(const std::string&, const Slab&, std::int64_t*) const;
template void ForeignFile::read(const std::string&, const Slab&, std::uint8_t*) const;

}  // namespace tesserec::store
