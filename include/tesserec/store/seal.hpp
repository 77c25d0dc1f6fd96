// SPDX-License-Identifier: Apache-2.0
// The first 512 bytes of every HDF5 file that this program writes, where HDF5 leaves room for others (its user block):
// the size of the file and a checksum of all that follows (docs/formats.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

struct Seal {
  Index bytes = 0;             ///< of the whole file
  std::uint64_t checksum = 0;  ///< bytes_checksum, under the name "file", of what follows the seal
  bool operator==(const Seal&) const = default;

  /// "BYTES CHECKSUM", as an index of parts and a manifest hold it.
  std::string text() const;
  static std::optional<Seal> from_text(const std::string& text);
};

inline constexpr Index seal_bytes = 512;

/// Writes the seal of a file's bytes into their first seal_bytes.
Seal put_seal(std::span<std::byte> file);

/// Error when there is no such file, or it is a folder or empty.
void require_file(const std::string& path);

/// Returns a file's seal, compared with the file's size alone; empty if another program wrote the file, without a user
/// block. Error: it is damaged, or the file is cut off.
std::optional<Seal> read_seal(const std::string& path);

/// Reads the whole file; Error when it is not what its seal says, or not of the seal `wanted`.
void require_sealed(const std::string& path, const Seal& wanted);

}  // namespace tesserec::store
