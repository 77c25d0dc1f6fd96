// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/mixed_bits.hpp>

namespace tesserec::embedding {

/// Number of row blocks of every table. They are leaves of the tree that pools a bag, and units of row-wise sharding.
inline constexpr Index block_count = 1024;

/// Map of one table's ids to blocks in [0, block_count).
class BlockOf {
 public:
  BlockOf() = default;
  /// Maps ids of a table of `rows` rows to blocks of ceil(rows / 1024) consecutive ids.
  static constexpr BlockOf by_rows(Index rows) {
    const Index rows_per_block = (rows + block_count - 1) / block_count;
    return {rows_per_block, rows > Index{1} << 36 ? 0 : ~std::uint64_t{0} / std::uint64_t(rows_per_block)};
  }
  /// Maps an id to the top 10 bits of a fixed mix of its 64 bits, independently of the size of its table.
  static constexpr BlockOf by_hash() { return {0, 0}; }

  /// Mixes the bits of an id, one to one. The top 10 bits are its block by hash.
  TESSEREC_FUNCTION static std::uint64_t mixed(Index id) { return mixed_bits(std::uint64_t(id)); }

  TESSEREC_FUNCTION constexpr bool is_by_hash() const { return rows_per_block_ == 0; }

  /// Returns the block of an id. Consecutive ids are multiplied by an inverse, because a division costs more than the
  /// rest of the work on an id. The product is exact while (id + 1) * rows per block < 2^64.
  TESSEREC_FUNCTION Index operator()(Index id) const {
    if (inverse_ == 0) return is_by_hash() ? Index(mixed(id) >> 54) : id / rows_per_block_;
#ifdef __CUDA_ARCH__
    return Index(__umul64hi(std::uint64_t(id) + 1, inverse_));
#else
    __extension__ using Wide = unsigned __int128;
    return Index(Wide(std::uint64_t(id) + 1) * inverse_ >> 64);
#endif
  }

 private:
  constexpr BlockOf(Index rows_per_block, std::uint64_t inverse) : rows_per_block_(rows_per_block), inverse_(inverse) {}

  Index rows_per_block_ = 1;   // 0: by hash
  std::uint64_t inverse_ = 0;  // floor((2^64 - 1) / rows_per_block_); 0: by hash, or too many rows
};

}  // namespace tesserec::embedding
