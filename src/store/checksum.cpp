// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cstdio>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <tesserec/store/checksum.hpp>

namespace tesserec::store {
namespace {

constexpr Index bytes_of_block = Index{64} << 10;
// Odd constants (of 2^64 over the golden ratio; of xxHash) that keep the seeds of different places apart.
constexpr std::uint64_t row_factor = 0x9E3779B97F4A7C15ull;
constexpr std::uint64_t block_factor = 0xC2B2AE3D27D4EB4Full;

std::uint64_t seed_of(const std::string& name) { return XXH3_64bits(name.data(), name.size()); }

// One row: whole blocks of 4 columns have a length the compiler knows.
inline std::uint64_t row_sum(const float* row, Index columns, std::uint64_t seed) {
  std::uint64_t sum = 0;
  Index column = 0;
  for (; column + 4 <= columns; column += 4, seed += block_factor)
    sum += XXH3_64bits_withSeed(row + column, 4 * sizeof(float), seed);
  if (column < columns)
    sum +=
        XXH3_64bits_withSeed(row + column, static_cast<std::size_t>(columns - column) * sizeof(float), seed);
  return sum;
}

std::uint64_t rows_sum(const float* data, Index rows, Index columns, Index ld, std::uint64_t seed) {
  std::uint64_t sum = 0;
  for (Index row = 0; row < rows; ++row, seed += row_factor) sum += row_sum(data + row * ld, columns, seed);
  return sum;
}

}  // namespace

std::uint64_t table_checksum(const Exec& exec, const std::string& name, const float* data, Index first_row,
                             Index rows, Index first_column, Index columns, Index ld) {
  assert(first_column % 4 == 0);
  constexpr Index rows_of_task = 1024;
  const std::uint64_t seed = seed_of(name) + static_cast<std::uint64_t>(first_column / 4) * block_factor;
  const Index tasks = (rows + rows_of_task - 1) / rows_of_task;
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce(
      "tesserec::store::table_checksum", Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, tasks),
      [=](Index task, std::uint64_t& partial) {
        const Index begin = task * rows_of_task;
        const Index count = std::min(rows_of_task, rows - begin);
        partial += rows_sum(data + begin * ld, count, columns, ld,
                            seed + static_cast<std::uint64_t>(first_row + begin) * row_factor);
      },
      sum);
  exec.fence();
  return sum;
}

std::uint64_t bytes_checksum(const std::string& name, const void* data, Index bytes, Index first_byte) {
  assert(first_byte % bytes_of_block == 0);
  const char* at = static_cast<const char*>(data);
  std::uint64_t seed = seed_of(name) + static_cast<std::uint64_t>(first_byte / bytes_of_block) * row_factor;
  std::uint64_t sum = 0;
  for (Index done = 0; done < bytes; done += bytes_of_block, seed += row_factor)
    sum += XXH3_64bits_withSeed(at + done, static_cast<std::size_t>(std::min(bytes_of_block, bytes - done)),
                                seed);
  return sum;
}

std::string checksum_text(std::uint64_t checksum) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(checksum));
  return text;
}

std::string combined_digest(const std::map<std::string, std::uint64_t>& checksums) {
  std::string lines;
  for (const auto& [name, checksum] : checksums) lines += name + "=" + checksum_text(checksum) + "\n";
  return checksum_text(XXH3_64bits(lines.data(), lines.size()));
}

}  // namespace tesserec::store
