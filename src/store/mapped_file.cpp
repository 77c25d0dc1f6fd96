// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <tesserec/core/error.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/mapped_file.hpp>

namespace tesserec::store {

MappedFile::MappedFile(const std::string& path, Index bytes, Mapping mapping) : bytes_(bytes) {
  const Descriptor file(path, O_RDONLY, "open it");
  struct stat status {};
  if (::fstat(file, &status) != 0) fail_errno(path, "read its size");
  if (Index{status.st_size} != bytes)
    fail(path, " has ", Index{status.st_size}, " bytes, not ", bytes, "; the file is truncated or was replaced");
  if (bytes == 0) return;
  void* const mapped = ::mmap(nullptr, std::size_t(bytes), PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) fail_errno(path, "map it");
  // Either is a hint. Linux reads 2 MiB at a time into huge pages if the file system has large folios (ext4 since 6.16).
  ::madvise(mapped, std::size_t(bytes), mapping == Mapping::huge_pages ? MADV_HUGEPAGE : MADV_RANDOM);
  data_ = static_cast<const std::byte*>(mapped);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), std::size_t(bytes_));
}

}  // namespace tesserec::store
