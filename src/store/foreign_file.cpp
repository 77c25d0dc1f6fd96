// SPDX-License-Identifier: Apache-2.0
#include "foreign_file.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "handle.hpp"

namespace tesserec::store {
namespace {

constexpr Index piece_bytes = Index{8} << 20;  // of one answer

/// In the process: its files by number.
std::map<Index, File>& files() {
  static std::map<Index, File> instance;
  return instance;
}

}  // namespace

ForeignFile::ForeignFile(const std::string& path, Trust trust) : process_(ForeignProcess::shared()), path_(path) {
  static Index newest = 0;
  number_ = ++newest;
  ask<void>(&serve_open, path, trust);
}

ForeignFile::~ForeignFile() {
  try {
    ask<void>(&serve_close);
  } catch (const std::exception&) {  // the process has ended, and its files with it
  }
}

const File& ForeignFile::opened(Index number) { return files().at(number); }

Bytes ForeignFile::serve_open(Decoder from) {
  const auto number = from.get<Index>();
  const auto path = from.get<std::string>();
  files().emplace(number, File::open_here(path, from.get<Trust>()));
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
void ForeignFile::read(const std::string& dataset, const Slab& slab, T* data) const {
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
    if (size > 0) std::memcpy(data + first * width, answer.data(), answer.size());
  }
}

template void ForeignFile::read(const std::string&, const Slab&, float*) const;
template void ForeignFile::read(const std::string&, const Slab&, double*) const;
template void ForeignFile::read(const std::string&, const Slab&, std::int32_t*) const;
template void ForeignFile::read(const std::string&, const Slab&, std::int64_t*) const;
template void ForeignFile::read(const std::string&, const Slab&, std::uint8_t*) const;

}  // namespace tesserec::store
