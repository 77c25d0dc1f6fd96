// SPDX-License-Identifier: Apache-2.0
#include "image_memory.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <tesserec/core/huge_pages.hpp>

namespace tesserec::store {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20, least_spare = 2 * huge_page;  // bytes

}  // namespace

struct ImageMemory::Spare {
  std::mutex mutex;
  int users = 0;
  std::vector<Block> blocks;
};

ImageMemory::Spare& ImageMemory::spare() {
  static Spare instance;
  return instance;
}

/// Counts the objects of this class; without any, frees the spare blocks.
void ImageMemory::count_user(int change) {
  Spare& all = spare();
  const std::lock_guard lock(all.mutex);
  all.users += change;
  if (all.users == 0) all.blocks.clear();
}

ImageMemory::~ImageMemory() {
  if (block_.bytes >= least_spare) {
    Spare& all = spare();
    const std::lock_guard lock(all.mutex);
    all.blocks.push_back(std::move(block_));
  }
  count_user(-1);
}

/// Returns a spare block of at least, but not over twice, the bytes. Else frees those there are, because files of
/// another size follow, and returns a new one; one without data if there is no memory.
ImageMemory::Block ImageMemory::new_block(std::size_t bytes) {
  Spare& all = spare();
  {
    const std::lock_guard lock(all.mutex);
    const auto fits = [&](const Block& block) { return block.bytes >= bytes && block.bytes / 2 <= bytes; };
    if (const auto found = std::ranges::find_if(all.blocks, fits); found != all.blocks.end()) {
      Block block = std::move(*found);
      all.blocks.erase(found);
      return block;
    }
    if (bytes >= least_spare) all.blocks.clear();
  }
  const std::size_t alignment = bytes >= least_spare ? huge_page : page_bytes;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  Block block{page_buffer(whole, alignment), whole};
  if (block.data == nullptr) return {};
  advise_huge_pages(block.data.get(), whole);
  return block;
}

/// Returns memory for `bytes`, with what was in it; null if there is none.
void* ImageMemory::resize(std::size_t bytes) {
  if (bytes <= block_.bytes) return block_.data.get();
  Block larger = new_block(std::max({bytes, expected_, 2 * block_.bytes}));
  if (larger.data != nullptr && block_.bytes > 0) std::memcpy(larger.data.get(), block_.data.get(), block_.bytes);
  if (larger.data != nullptr) block_ = std::move(larger);
  return bytes <= block_.bytes ? block_.data.get() : nullptr;
}

void ImageMemory::give_to(const Handle& access, const std::string& path) {
  H5FD_file_image_callbacks_t callbacks{};
  callbacks.image_realloc = [](void*, std::size_t bytes, H5FD_file_image_op_t, void* memory) {
    return static_cast<ImageMemory*>(memory)->resize(bytes);
  };
  callbacks.image_free = [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; };  // The destructor frees it.
  callbacks.udata_copy = [](void* memory) { return memory; };
  callbacks.udata_free = [](void*) -> herr_t { return 0; };
  callbacks.udata = this;
  check(H5Pset_file_image_callbacks(access, &callbacks), path, "", "choose its memory");
}

}  // namespace tesserec::store
