// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "handle.hpp"
#include "page_buffer.hpp"
#include <tesserec/core/index.hpp>

namespace tesserec::store {

/// Memory of a file that HDF5 builds. It begins at a page, so that direct I/O needs no copy. Large memory is used again
/// for the next file: where files follow one another, the kernel would clear fresh pages for as long as it takes to
/// copy the numbers there.
class ImageMemory {
 public:
  /// `bytes`: how many the file will have, about.
  explicit ImageMemory(Index bytes) : expected_(std::size_t(bytes)) { count_user(1); }
  /// Leaves large memory to the next file, if another one is being built now, else frees all.
  ~ImageMemory();
  ImageMemory(const ImageMemory&) = delete;
  ImageMemory& operator=(const ImageMemory&) = delete;

  /// Makes HDF5 take the memory of a file in memory from here. This object must outlive the file. `access`: access list
  /// of the file `path`.
  void give_to(const Handle& access, const std::string& path);

 private:
  struct Block {
    PageBuffer data{nullptr, &std::free};
    std::size_t bytes = 0;
  };
  struct Spare;  // blocks that no file uses
  static Spare& spare();
  static void count_user(int change);
  static Block new_block(std::size_t bytes);
  void* resize(std::size_t bytes);

  std::size_t expected_;
  Block block_;
};

}  // namespace tesserec::store
