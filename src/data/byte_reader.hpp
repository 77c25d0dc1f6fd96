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

/// Unpacks all gzip members as one text; ignores zero bytes behind the last. Error: a truncated or damaged file.
std::unique_ptr<ByteReader> open_gzip(const std::string& path);

}  // namespace tesserec::data
