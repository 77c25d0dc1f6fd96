// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include <tesserec/core/error.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/seal.hpp>

namespace tesserec::store {
namespace {

constexpr std::string_view head = "Tesserec HDF5 seal 1\n";
constexpr char hdf5_signature[] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};

using Block = std::array<char, seal_bytes>;

Block block_of(const Seal& seal) {
  Block block{};
  const std::string text = std::string(head) + seal.text() + "\n";
  std::copy(text.begin(), text.end(), block.begin());
  return block;
}

std::uint64_t checksum_of(std::span<const std::byte> bytes, Index first) {
  return bytes_checksum("file", bytes.data(), std::ssize(bytes), first);
}

[[noreturn]] void fail_damaged(const std::string& path, const std::string& reason) {
  fail(path, " is damaged: ", reason, "; recreate it, or use an intact copy");
}

}  // namespace

FileChecksum file_checksum(const std::string& path, Index share, Index shares) {
  std::error_code error;
  const Index bytes = std::filesystem::file_size(path, error);
  if (error) fail(path, ": cannot read its size: ", error.message());
  const Index pieces = (bytes + read_piece - 1) / read_piece;
  const Index first = pieces * share / shares * read_piece,
              end = std::min(bytes, pieces * (share + 1) / shares * read_piece);
  FileChecksum sum{bytes, 0};
  read_pieces(
      path, first, [&](std::span<const std::byte> piece, Index at) { sum.checksum += checksum_of(piece, at); }, end);
  return sum;
}

std::string file_content(const std::string& path) {
  if (const std::optional<Seal> seal = read_seal(path)) return seal->text();
  const FileChecksum whole = file_checksum(path);
  return Seal{whole.bytes, whole.checksum}.text();
}

std::string Seal::text() const { return std::to_string(bytes) + " " + checksum_text(checksum); }

std::optional<Seal> Seal::from_text(const std::string& text) {
  Seal seal;
  const char* const end = text.data() + text.size();
  const auto [space, no_bytes] = std::from_chars(text.data(), end, seal.bytes);
  if (no_bytes != std::errc() || space == end) return std::nullopt;
  const auto checksum = checksum_of_text({space + 1, end});
  if (!checksum) return std::nullopt;
  seal.checksum = *checksum;
  if (seal.text() != text) return std::nullopt;
  return seal;
}

Seal put_seal(std::span<std::byte> file) {
  const Seal seal{std::ssize(file), checksum_of(file.subspan(seal_bytes), 0)};
  const Block block = block_of(seal);
  std::memcpy(file.data(), block.data(), block.size());
  return seal;
}

void require_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail(path, ": there is no such file");
  if (std::filesystem::is_directory(status)) fail(path, ": this is a folder, not an HDF5 file");
  if (!std::filesystem::is_regular_file(status)) fail(path, ": this is not a regular file, which HDF5 needs");
  if (std::filesystem::file_size(path, error) == 0) fail(path, ": the file is empty, not an HDF5 file");
}

std::optional<Seal> read_seal(const std::string& path) {
  const Descriptor file(path, O_RDONLY, "open it");
  Block block{};
  const ssize_t got = ::pread(file, block.data(), block.size(), 0);
  if (got < 0) fail_errno(path, "read it");
  if (std::memcmp(block.data(), hdf5_signature, sizeof hdf5_signature) == 0) return std::nullopt;
  const bool ours = std::equal(head.begin(), head.end(), block.begin());
  if (ours) {
    const std::string text(block.data() + head.size(), std::find(block.data() + head.size(), block.data() + got, '\n'));
    const std::optional<Seal> seal = Seal::from_text(text);
    if (seal && block_of(*seal) == block) {
      std::error_code error;
      const Index bytes = std::filesystem::file_size(path, error);
      if (error) fail(path, ": cannot read its size: ", error.message());
      if (bytes != seal->bytes)
        fail_damaged(path, "it has " + std::to_string(bytes) + " bytes, but its seal says " +
                               std::to_string(seal->bytes) + ", so it is truncated or was replaced");
      return seal;
    }
  }
  std::array<char, sizeof hdf5_signature> next{};
  const bool sealed = ours || (::pread(file, next.data(), next.size(), seal_bytes) == std::ssize(next) &&
                               std::memcmp(next.data(), hdf5_signature, next.size()) == 0);
  if (!sealed)
    fail(path,
         ": this is not an HDF5 file, such as a data set that tesserec preprocess creates from raw files, or scores "
         "of tesserec predict");
  fail_damaged(path, "the seal in its first 512 bytes cannot be read");
}

void require_sealed(const std::string& path, const Seal& wanted) {
  const std::optional<Seal> seal = read_seal(path);
  if (!seal) fail(path, ": this file has no seal, so another program wrote it; restore the original");
  if (*seal != wanted)
    fail_damaged(path,
                 "its seal is " + seal->text() + " instead of " + wanted.text() + ", so it belongs to another set");
  std::uint64_t checksum = 0;
  read_pieces(path, seal_bytes, [&](std::span<const std::byte> piece, Index first) {
    checksum += checksum_of(piece, first - seal_bytes);
  });
  if (checksum != wanted.checksum)
    fail_damaged(
        path, "its checksum is " + checksum_text(checksum) + ", but its seal says " + checksum_text(wanted.checksum));
}

}  // namespace tesserec::store
