// SPDX-License-Identifier: Apache-2.0
/// Checksums that ranks compute without moving rows: sums modulo 2^64 of XXH3_64 over small blocks, each
/// seeded by its place, so that any partition of the blocks gives the same sum (docs/formats.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kokkos.hpp>

namespace tesserec::store {

/// A row-major block of a logical table: rows [first_row, first_row + rows) by columns [first_column, first_column +
/// columns). A per-row state is a table of one column.
struct TableBlock {
  const float* data;
  Index first_row, rows;
  Index first_column, columns;  ///< first_column is a multiple of 4
  Index ld;                     ///< floats from a row to the next
};
/// Returns the checksum of a block: one hash per row and 4 columns, seeded by (name, row, block of columns). `finite`,
/// where given, becomes false when the square of a number is not.
std::uint64_t table_checksum(const Exec& exec, const std::string& name, const TableBlock& block,
                             bool* finite = nullptr);

/// Sums anything else: blocks of 64 KiB, seeded by (name, block). `first_byte` is a multiple of 64 KiB.
std::uint64_t bytes_checksum(const std::string& name, const void* data, Index bytes, Index first_byte = 0);

/// 16 hexadecimal digits.
std::string checksum_text(std::uint64_t checksum);
/// Reads what checksum_text wrote; empty where the text is anything else.
std::optional<std::uint64_t> checksum_of_text(std::string_view text);

/// One string for many checksums, by name: 16 hexadecimal digits.
std::string combined_digest(const std::map<std::string, std::uint64_t>& checksums);

struct FileChecksum {
  Index bytes = 0;             ///< of the whole file
  std::uint64_t checksum = 0;  ///< of the share that was read
};

/// Reads share `share` of `of` of a file. The checksums of all shares, added modulo 2^64, are bytes_checksum of all its
/// bytes under the name "file". Error when it cannot be read.
FileChecksum file_checksum(const std::string& path, Index share = 0, Index of = 1);

/// Returns "BYTES CHECKSUM": the file's seal, not compared, or else its bytes' checksum. Error: it cannot be read.
std::string file_content(const std::string& path);

/// Returns "BYTES bytes, CHECKSUM" over 64 blocks of 4 KiB from a file's first to its last bytes, or over all of a
/// smaller one: detects different files behind one path without a full read. Error: it cannot be read.
std::string sampled_checksum(const std::string& path);

}  // namespace tesserec::store
