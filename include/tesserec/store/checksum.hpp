// SPDX-License-Identifier: Apache-2.0
/// Checksums that ranks compute without moving rows: sums modulo 2^64 of the XXH3_64 hashes of small blocks. Each hash
/// is seeded by the block's place, so that any partition of the blocks gives the same sum (docs/formats.md).
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
  Index ld;                     ///< floats from one row to the next
};
/// Returns the checksum of a block: one hash per row and 4 columns, seeded by (name, row, block of columns). Sets
/// `finite`, unless null, to false if the square of a number is not finite.
std::uint64_t table_checksum(const Exec& exec, const std::string& name, const TableBlock& block,
                             bool* finite = nullptr);

/// Returns the checksum of other data: one hash per 64 KiB, seeded by (name, block). `first_byte` is the position of
/// `data` in the whole, a multiple of 64 KiB.
std::uint64_t bytes_checksum(const std::string& name, const void* data, Index bytes, Index first_byte = 0);

/// Formats a checksum as 16 hexadecimal digits.
std::string checksum_text(std::uint64_t checksum);
/// Parses the text of checksum_text(); returns nullopt for any other text.
std::optional<std::uint64_t> checksum_of_text(std::string_view text);

/// Combines named checksums into one text of 16 hexadecimal digits.
std::string combined_digest(const std::map<std::string, std::uint64_t>& checksums);

/// Size of a file and checksum of one share of it.
struct FileChecksum {
  Index bytes = 0;             ///< size of the whole file
  std::uint64_t checksum = 0;  ///< checksum of the share that was read
};

/// Reads share number `share` of a file that is cut into `shares`. The checksums of all shares, added modulo 2^64, give
/// bytes_checksum() of the file under the name "file". Throws Error if the file cannot be read.
FileChecksum file_checksum(const std::string& path, Index share = 0, Index shares = 1);

/// Returns "BYTES CHECKSUM" of an HDF5 file: its seal, of which only the size is compared, or, without a seal, the
/// checksum of its bytes. Throws Error as read_seal() does.
std::string file_content(const std::string& path);

/// Returns "BYTES bytes, CHECKSUM" over 64 blocks of 4 KiB, spread from a file's first to its last byte, or over all of
/// a smaller file. Tells different files behind one path apart without a full read. Throws Error if the file cannot be
/// read.
std::string sampled_checksum(const std::string& path);

}  // namespace tesserec::store
