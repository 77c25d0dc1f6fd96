// SPDX-License-Identifier: Apache-2.0
#include "scratch_file.hpp"

#define XXH_INLINE_ALL
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {
namespace {

/// Last bytes of a scratch file.
struct Trailer {
  std::uint64_t footer_bytes = 0;
  std::uint64_t checksum = 0;  ///< XXH3_64 of the footer
  char magic[8] = {'t', 's', 'c', 'r', 'a', 't', 'c', 'h'};
};

constexpr std::size_t buffered_bytes = std::size_t{1} << 20;

/// Calls write(). Adds to its error what to do if the disk is full.
template <class Write>
void on_disk(const Write& write) {
  errno = 0;
  try {
    write();
  } catch (const Error& error) {
    if (errno != ENOSPC && errno != EDQUOT) throw;
    fail(error.what(),
         "; free space in preprocess.output and start the same command again, which goes on from what is there");
  }
}

std::string draft_name(const std::string& path) { return path + ".tmp"; }

/// Reads bytes [first, first + size) of an open file. Returns fewer bytes if it ends before.
std::string bytes_at(int file, const std::string& path, Index first, Index size) {
  std::string bytes(std::size_t(size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(file, bytes.data() + done, bytes.size() - done, first + Index(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) store::fail_errno(path, "read it");
    if (got == 0) break;
    done += std::size_t(got);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace

ScratchWriter::ScratchWriter(std::string path)
    : path_(std::move(path)),
      draft_(draft_name(path_)),
      file_(std::make_unique<store::Descriptor>(draft_name(path_), O_WRONLY | O_CREAT | O_TRUNC, "write it")) {}

ScratchWriter::~ScratchWriter() {
  if (file_ == nullptr) return;
  std::error_code ignored;
  std::filesystem::remove(draft_name(path_), ignored);
}

void ScratchWriter::flush() {
  on_disk([&] { store::write_all(*file_, draft_name(path_), std::as_bytes(std::span<const char>(buffer_))); });
  buffer_.clear();
}

ScratchPiece ScratchWriter::append(std::string_view bytes) {
  const ScratchPiece piece{end_, std::ssize(bytes), XXH3_64bits(bytes.data(), bytes.size())};
  buffer_.append(bytes);
  end_ += std::ssize(bytes);
  if (buffer_.size() >= buffered_bytes) flush();
  return piece;
}

void ScratchWriter::seal(std::string_view footer) {
  Trailer trailer;
  trailer.footer_bytes = footer.size();
  trailer.checksum = XXH3_64bits(footer.data(), footer.size());
  append(footer);
  append({reinterpret_cast<const char*>(&trailer), sizeof trailer});
  flush();
  on_disk([&] {
    store::sync_path(draft_name(path_));
    file_->close();
    store::rename_durably(draft_name(path_), path_);
  });
  file_.reset();
}

void ScratchWriter::finish() {
  flush();
  on_disk([&] { file_->close(); });
  std::filesystem::rename(draft_name(path_), path_);
  file_.reset();
}

std::optional<std::string> scratch_footer(const std::string& path) {
  std::error_code error;
  const auto size = Index(std::filesystem::file_size(path, error));
  Trailer trailer;
  const Trailer expected;
  if (error || size < Index{sizeof trailer}) return std::nullopt;
  const store::Descriptor file(path, O_RDONLY, "read it");
  const std::string end = bytes_at(file, path, size - Index{sizeof trailer}, sizeof trailer);
  if (end.size() != sizeof trailer) return std::nullopt;
  std::memcpy(&trailer, end.data(), sizeof trailer);
  const Index before = size - Index{sizeof trailer};
  if (std::memcmp(trailer.magic, expected.magic, sizeof trailer.magic) != 0 ||
      trailer.footer_bytes > std::uint64_t(before))
    return std::nullopt;
  const auto footer_bytes = Index(trailer.footer_bytes);
  std::string footer = bytes_at(file, path, before - footer_bytes, footer_bytes);
  if (std::ssize(footer) != footer_bytes || XXH3_64bits(footer.data(), footer.size()) != trailer.checksum)
    return std::nullopt;
  return footer;
}

ScratchReader::ScratchReader(std::string path)
    : path_(std::move(path)), file_(std::make_unique<store::Descriptor>(path_, O_RDONLY, "read it")) {}

ScratchReader::~ScratchReader() = default;

std::string ScratchReader::read(std::span<const ScratchPiece> pieces) const {
  if (pieces.empty()) return {};
  const Index first = pieces.front().first, end = pieces.back().first + pieces.back().bytes;
  std::string bytes = bytes_at(*file_, path_, first, end - first);
  for (const ScratchPiece& piece : pieces) {
    const char* const data = bytes.data() + (piece.first - first);
    if (piece.first + piece.bytes - first > std::ssize(bytes) ||
        XXH3_64bits(data, std::size_t(piece.bytes)) != piece.checksum)
      fail(path_, ": this scratch file is damaged; remove its folder and start the command again");
  }
  return bytes;
}

std::string read_scratch(const std::string& path, std::span<const ScratchPiece> pieces) {
  return pieces.empty() ? std::string() : ScratchReader(path).read(pieces);
}

}  // namespace tesserec::preprocess
