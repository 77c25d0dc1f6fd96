// SPDX-License-Identifier: Apache-2.0
// The first 512 bytes of every HDF5 file that this program writes, in the user block that HDF5 leaves to programs. They
// state the size of the file and a checksum of all that follows (docs/formats.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

/// Size and checksum of an HDF5 file.
struct Seal {
  Index bytes = 0;             ///< size of the whole file
  std::uint64_t checksum = 0;  ///< bytes_checksum, under the name "file", of the bytes after the seal
  bool operator==(const Seal&) const = default;

  /// Returns "BYTES CHECKSUM", the form of seals in an index of parts and in a manifest.
  std::string text() const;
  /// Parses the result of text(); returns nullopt for any other text.
  static std::optional<Seal> from_text(const std::string& text);
};

inline constexpr Index seal_bytes = 512;

/// Writes the seal of a file's bytes into their first seal_bytes, and returns it.
Seal put_seal(std::span<std::byte> file);

/// Throws Error unless `path` is a plain file that is not empty.
void require_file(const std::string& path);

/// Returns a file's seal after a comparison with the file's size alone; nullopt if another program wrote the file,
/// without a user block. Throws Error if the seal is damaged, or if the file is truncated or not HDF5.
std::optional<Seal> read_seal(const std::string& path);

/// Reads the whole file. Throws Error if its seal is not `wanted` or does not fit the content.
void require_sealed(const std::string& path, const Seal& wanted);

}  // namespace tesserec::store
