// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tesserec/core/text.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/sampled.hpp>

namespace tesserec::store {

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
    const ssize_t got = ::pread(file, sampled.data() + size, std::size_t(block), first);
    if (got < 0) fail_errno(path, "read it");
    size += std::size_t(got);
  }
  return concat(bytes, " bytes, ", checksum_text(bytes_checksum("sampled", sampled.data(), Index(size))));
}

}  // namespace tesserec::store
