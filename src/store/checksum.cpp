// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::store {
namespace {

constexpr Index bytes_of_block = Index{64} << 10;
// Odd constants keep the seeds of different places apart: 2^64 / golden ratio, and the second prime of XXH64.
constexpr std::uint64_t row_factor = 0x9E3779B97F4A7C15ull;
constexpr std::uint64_t block_factor = 0xC2B2AE3D27D4EB4Full;

std::uint64_t seed_of(const std::string& name) { return XXH3_64bits(name.data(), name.size()); }

/// Returns whether one of n floats has a square that is not finite: its magnitude is 2^64 or more, or it is a NaN.
template <int n>
bool not_finite(const float* values) {
  constexpr std::uint32_t exponent = 0x7f800000, too_large = (127 + 64) << 23;
  bool found = false;
  for (int i = 0; i < n; ++i) found |= (std::bit_cast<std::uint32_t>(values[i]) & exponent) >= too_large;
  return found;
}

struct RowsSum {
  std::uint64_t sum = 0;
  bool not_finite = false;
};

// Adds the hashes of the rows, each of `blocks` blocks of 4 columns and one block of `tail` columns. The compiler knows
// the length of every hash.
template <int tail>
RowsSum rows_sum(const float* data, Index rows, Index blocks, Index ld, std::uint64_t seed) {
  std::uint64_t sum = 0;
  bool bad = false;
  for (Index row = 0; row < rows; ++row, seed += row_factor) {
    const float* at = data + row * ld;
    std::uint64_t block_seed = seed;
    for (Index block = 0; block < blocks; ++block, at += 4, block_seed += block_factor) {
      sum += XXH3_64bits_withSeed(at, 4 * sizeof(float), block_seed);
      bad |= not_finite<4>(at);
    }
    if constexpr (tail > 0) {
      sum += XXH3_64bits_withSeed(at, tail * sizeof(float), block_seed);
      bad |= not_finite<tail>(at);
    }
  }
  return {sum, bad};
}

}  // namespace

std::uint64_t table_checksum(const Exec& exec, const std::string& name, const TableBlock& block, bool* finite) {
  const float* const data = block.data;
  const Index first_row = block.first_row, rows = block.rows, ld = block.ld;
  const Index first_column = block.first_column, columns = block.columns;
  assert(first_column % 4 == 0);
  constexpr Index rows_of_task = 1024;
  const std::uint64_t seed = seed_of(name) + std::uint64_t(first_column / 4) * block_factor;
  constexpr decltype(&rows_sum<0>) by_tail[] = {rows_sum<0>, rows_sum<1>, rows_sum<2>, rows_sum<3>};
  const auto sum_of_rows = by_tail[columns % 4];
  const Index tasks = (rows + rows_of_task - 1) / rows_of_task;
  std::uint64_t sum = 0;
  std::atomic<bool> bad = false;
  Kokkos::parallel_reduce(
      "tesserec::store::table_checksum", Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, tasks),
      [=, &bad](Index task, std::uint64_t& partial) {
        const Index begin = task * rows_of_task;
        const Index count = std::min(rows_of_task, rows - begin);
        const RowsSum run = sum_of_rows(data + begin * ld, count, columns / 4, ld,
                                        seed + std::uint64_t(first_row + begin) * row_factor);
        partial += run.sum;
        if (run.not_finite) bad = true;
      },
      sum);
  if (finite != nullptr && bad) *finite = false;
  return sum;
}

std::uint64_t bytes_checksum(const std::string& name, const void* data, Index bytes, Index first_byte) {
  assert(first_byte % bytes_of_block == 0);
  const char* at = static_cast<const char*>(data);
  std::uint64_t seed = seed_of(name) + std::uint64_t(first_byte / bytes_of_block) * row_factor;
  std::uint64_t sum = 0;
  for (Index done = 0; done < bytes; done += bytes_of_block, seed += row_factor)
    sum += XXH3_64bits_withSeed(at + done, std::min(bytes_of_block, bytes - done), seed);
  return sum;
}

std::string checksum_text(std::uint64_t checksum) { return hex(checksum); }

std::optional<std::uint64_t> checksum_of_text(std::string_view text) {
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  std::uint64_t checksum = 0;
  std::from_chars(text.data(), text.data() + text.size(), checksum, 16);
  return checksum;
}

std::string combined_digest(const std::map<std::string, std::uint64_t>& checksums) {
  std::string lines;
  for (const auto& [name, checksum] : checksums) lines += name + "=" + checksum_text(checksum) + "\n";
  return checksum_text(XXH3_64bits(lines.data(), lines.size()));
}

std::string sampled_checksum(const std::string& path) {
  constexpr Index blocks = 64, block = 4096;
  const Descriptor file(path, O_RDONLY, "open it");
  struct stat status {};
  if (::fstat(file, &status) != 0) fail_errno(path, "read its size");
  const Index bytes = status.st_size, last = bytes - block;
  const bool whole = bytes <= blocks * block;
  const Index step = whole ? block : last / (blocks - 1);
  std::vector<char> sampled(std::size_t(blocks * block));
  std::size_t size = 0;
  for (Index k = 0; k < blocks; ++k) {
    const Index first = !whole && k + 1 == blocks ? last : k * step;
    for (Index at = first; at < std::min(bytes, first + block);) {
      const ssize_t count = ::pread(file, sampled.data() + size, std::size_t(first + block - at), at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_errno(path, "read it");
      if (count == 0) fail(path, " became shorter while it was read; start again when it is complete");
      size += std::size_t(count);
      at += count;
    }
  }
  return concat(bytes, " bytes, ", checksum_text(bytes_checksum("sampled", sampled.data(), Index(size))));
}

}  // namespace tesserec::store
