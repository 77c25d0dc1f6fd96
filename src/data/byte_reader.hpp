// SPDX-License-Identifier: Apache-2.0
/// The bytes of a file, as they are or unpacked from gzip.
#pragma once

#include <memory>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::data {

class ByteReader {
 public:
  virtual ~ByteReader() = default;
  /// Up to `size` bytes; 0 only at the end. Errors name the file.
  virtual Index read(char* data, Index size) = 0;
};

/// Opens a file from byte `begin` on.
std::unique_ptr<ByteReader> open_plain(const std::string& path, Index begin);

/// Unpacked; several members one after the other are one text, zero bytes after the last are ignored. A
/// truncated or damaged file is an Error.
std::unique_ptr<ByteReader> open_gzip(const std::string& path);

}  // namespace tesserec::data
