// SPDX-License-Identifier: Apache-2.0
/// Philox4x32-10 for many counters, compiled for several instruction sets. Random calls the fastest one.
#pragma once

#include <cstdint>

#include <tesserec/core/philox_rounds.hpp>

namespace tesserec::philox {

/// Rows of uniform numbers in [-bound, bound), rounded once, from column 4 * `quad` on.
struct Draw {
  std::uint32_t key0, key1;
  const DrawnRow* rows;
  std::int64_t count;  // of rows
  std::uint64_t quad;
  std::int64_t columns;
  float bound;
};
void fill_plain(const Draw& draw);
void fill_avx2(const Draw& draw);
void fill_avx512(const Draw& draw);

/// Counters (row, quad), of which each gives four random words: out[count, 4].
struct Counters {
  std::uint32_t key0, key1;
  const std::int64_t *rows, *quads;
  std::int64_t count;
};
void quads_plain(const Counters& counters, std::uint32_t* out);
void quads_avx2(const Counters& counters, std::uint32_t* out);
void quads_avx512(const Counters& counters, std::uint32_t* out);

}  // namespace tesserec::philox
