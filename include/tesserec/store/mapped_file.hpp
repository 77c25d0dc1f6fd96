// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

/// Pages in which a mapped file is read.
enum class Mapping {
  pages,      ///< page by page, of 4 KiB, for files that may exceed the memory
  huge_pages  ///< 2 MiB at a time where the system can, for files that fit into memory and are soon read whole
};

/// A file's bytes, mapped for reading in any order. The system reads pages when they are used.
class MappedFile {
 public:
  /// Maps a file of exactly `bytes` bytes. Throws Error if it is missing or of another size.
  MappedFile(const std::string& path, Index bytes, Mapping mapping = Mapping::pages);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) = delete;
  ~MappedFile();

  const std::byte* data() const { return data_; }

 private:
  const std::byte* data_ = nullptr;
  Index bytes_ = 0;
};

}  // namespace tesserec::store
