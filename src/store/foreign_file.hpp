// SPDX-License-Identifier: Apache-2.0
// Proxy of a file that another program wrote. HDF5 is called in the process that has the file open.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "foreign_process.hpp"
#include <tesserec/store/disk.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::store {

class ForeignFile {
 public:
  /// Opens the file in the shared process. Throws Error as File::open() does.
  ForeignFile(const std::string& path, Trust trust);
  ~ForeignFile();
  ForeignFile(const ForeignFile&) = delete;
  ForeignFile& operator=(const ForeignFile&) = delete;

  /// Calls a member function of the File in the process, such as call<&File::shape>(dataset). Blocks.
  template <auto Method, class... Arguments>
  auto call(const Arguments&... arguments) const {
    using Result = decltype((std::declval<const File&>().*Method)(arguments...));
    return ask<Result>(&serve<Method, Arguments...>, arguments...);
  }
  template <class T>
  void read(const std::string& dataset, const Slab& slab, T* data) const;

 private:
  template <class Result, class... Arguments>
  Result ask(ForeignProcess::Serve serve, const Arguments&... arguments) const {
    Bytes bytes;
    encode(bytes, number_);
    (encode(bytes, arguments), ...);
    const Bytes answer = process_->call(path_, serve, bytes);
    if constexpr (!std::is_void_v<Result>) return Decoder(answer).template get<Result>();
  }
  template <auto Method, class... Arguments>
  static Bytes serve(Decoder from) {
    const File& file = opened(from.get<Index>());
    const std::tuple<Arguments...> arguments{from.get<Arguments>()...};
    const auto run = [&file](const auto&... values) { return (file.*Method)(values...); };
    Bytes bytes;
    if constexpr (std::is_void_v<decltype(std::apply(run, arguments))>)
      std::apply(run, arguments);
    else
      encode(bytes, std::apply(run, arguments));
    return bytes;
  }
  template <class T>
  static Bytes serve_read(Decoder from);
  /// Reads whole rows of a contiguous dataset without the process. Returns false if the dataset is not contiguous or
  /// cannot be read so.
  template <class T>
  bool read_flat(const std::string& dataset, const Slab& slab, T* data) const;
  /// Returns the offset of a contiguous dataset, or -1. Asks the process once for each dataset and type.
  template <class T>
  Index flat_offset(const std::string& dataset) const;
  template <class T>
  static Bytes serve_flat(Decoder from);
  static Bytes serve_open(Decoder from);
  static Bytes serve_close(Decoder from);
  /// Returns the shape. Asks the process once for each dataset.
  const std::vector<Index>& shape(const std::string& dataset) const;
  /// Returns the file of this number. Runs in the process.
  static const File& opened(Index number);

  std::shared_ptr<ForeignProcess> process_;
  std::string path_;
  Descriptor file_;
  Index number_ = 0;
  mutable std::map<std::string, Index> offsets_;  // results of flat_offset(), by dataset and type
  mutable std::map<std::string, std::vector<Index>> shapes_;
};

}  // namespace tesserec::store
