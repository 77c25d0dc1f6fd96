// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/core/random_loops.hpp>

namespace tesserec {

void fill_rows(const Where& where, const Random& random, Range rows, Index columns, float bound, float* out) {
  if (where.is_thread()) return random.fill_rows(rows, {0, columns}, bound, out);
  const std::uint32_t key0 = random.key()[0], key1 = random.key()[1];
  const Index first = rows.begin;
  over_elements(
      where, "tesserec::core::fill_rows", rows.size(), (columns + 3) / 4, KOKKOS_LAMBDA(Index r, Index quad) {
        const auto row = std::uint64_t(first + r);
        std::uint32_t words[4] = {std::uint32_t(row), std::uint32_t(row >> 32), std::uint32_t(quad), 0};
        philox::ten_rounds(key0, key1, words);
        TESSEREC_UNROLL
        for (int word = 0; word < 4; ++word)
          if (4 * quad + word < columns) out[r * columns + 4 * quad + word] = philox::uniform(words[word], bound);
      });
}

}  // namespace tesserec
