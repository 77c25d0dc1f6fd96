// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <tesserec/core/huge_pages.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Memory of a rank for the first of its kept rows, which then need no scratch file.
class KeptMemory {
 public:
  explicit KeptMemory(Index most = 0) : most_(most) {}

  /// Copies bytes if there is room for them. Returns their place then.
  std::optional<Index> add(std::string_view bytes) {
    if (std::ssize(bytes) > room_ && !add_block(std::ssize(bytes))) return std::nullopt;
    char* const to = blocks_.back().get() + used_;
    std::memcpy(to, bytes.data(), bytes.size());
    used_ += std::ssize(bytes);
    room_ -= std::ssize(bytes);
    pieces_.emplace_back(to, bytes.size());
    return std::ssize(pieces_) - 1;
  }
  /// Returns the bytes of a place.
  std::string_view at(Index place) const { return pieces_[std::size_t(place)]; }

 private:
  static constexpr Index block_bytes = Index{32} << 20;

  /// Adds a block for at least some bytes. Returns false if there is no room for it.
  bool add_block(Index bytes) {
    const Index size = std::max(std::min(block_bytes, most_), bytes);
    if (size > most_) return false;
    most_ -= size;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(std::size_t(size)));
    advise_huge_pages(blocks_.back().get(), std::size_t(size));
    used_ = 0;
    room_ = size;
    return true;
  }

  Index most_;                                   ///< bytes of blocks that may still be added
  std::vector<std::unique_ptr<char[]>> blocks_;  ///< of which the last one has room
  Index used_ = 0, room_ = 0;                    ///< bytes of the last block
  std::vector<std::string_view> pieces_;
};

}  // namespace tesserec::preprocess
