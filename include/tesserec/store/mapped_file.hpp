// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

/// A file's bytes, mapped for reading. The system reads pages when they are used, so the file may exceed the memory.
class MappedFile {
 public:
  /// Maps a file of exactly `bytes` bytes for reads in any order. Throws Error if it is missing or of another size.
  MappedFile(const std::string& path, Index bytes);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) = delete;
  ~MappedFile();

  const std::byte* data() const { return data_; }

 private:
  const std::byte* data_ = nullptr;
  Index bytes_ = 0;
};

}  // namespace tesserec::store
