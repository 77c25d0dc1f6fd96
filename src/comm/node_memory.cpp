// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cstdio>
#include <random>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tesserec/comm/node_memory.hpp>

namespace tesserec::comm {
namespace {

using Name = std::array<char, 48>;

/// A name that no other segment has, in this container or in another: who opens it has opened this one.
Name new_name() {
  std::random_device random;
  Name name{};
  std::snprintf(name.data(), name.size(), "/tesserec.%ld.%08x%08x", static_cast<long>(getpid()), random(), random());
  return name;
}

float* map(int file, std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (at == MAP_FAILED) return nullptr;
  advise_huge_pages(at, bytes);
  return static_cast<float*>(at);
}

/// Null when the system refuses. The pages are taken here, where that is an error code, and not at their first use.
float* create(const Name& name, std::size_t bytes) {
  const int file = shm_open(name.data(), O_CREAT | O_EXCL | O_RDWR, 0600);
  if (file < 0) return nullptr;
  int code = 0;
  do code = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  while (code == EINTR);
  float* at = code == 0 ? map(file, bytes) : nullptr;
  close(file);
  return at;
}

float* open(const Name& name, std::size_t bytes) {
  const int file = shm_open(name.data(), O_RDWR, 0600);
  if (file < 0) return nullptr;
  struct stat status {};
  const bool whole = fstat(file, &status) == 0 && status.st_size == static_cast<off_t>(bytes);
  float* at = whole ? map(file, bytes) : nullptr;
  close(file);
  return at;
}

}  // namespace

NodeMemory::NodeMemory(const Communicator& node, Index size) : begin_(static_cast<std::size_t>(node.size())) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes_ = (static_cast<std::size_t>(size) * sizeof(float) + page - 1) / page * page;
  const Name mine = new_name();
  bool have_all = (begin_[static_cast<std::size_t>(node.rank())] = create(mine, bytes_)) != nullptr;
  const std::vector<Name> names = node.all_gather(mine);
  for (int r = 0; r < node.size(); ++r)
    if (r != node.rank()) have_all = (begin_[static_cast<std::size_t>(r)] = open(names[r], bytes_)) && have_all;
  const Index everybody = node.min(have_all ? 1 : 0);
  shm_unlink(mine.data());
  if (!everybody) unmap();
}

NodeMemory::~NodeMemory() { unmap(); }

NodeMemory::NodeMemory(NodeMemory&& other) noexcept
    : begin_(std::exchange(other.begin_, {})), bytes_(std::exchange(other.bytes_, 0)) {}

NodeMemory& NodeMemory::operator=(NodeMemory&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void NodeMemory::unmap() {
  for (float* at : begin_)
    if (at != nullptr) munmap(at, bytes_);
  begin_.clear();
}

}  // namespace tesserec::comm
