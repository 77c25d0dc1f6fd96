// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tesserec/comm/node.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::comm {
namespace {

/// Returns a random name for a segment of shared memory. No other segment has it, not even in another container, so a
/// rank that can open the name has this segment.
std::string new_name() {
  std::random_device random;
  return concat("/tesserec.", getpid(), ".", hex(random(), 8), hex(random(), 8));
}

/// Allocates bytes [begin, end) of the file; returns 0 or errno. A failure at their first use would raise SIGBUS.
int allocate(int file, std::size_t begin, std::size_t end) {
  if (begin == end) return 0;
  int code = 0;
  do code = posix_fallocate(file, off_t(begin), off_t(end - begin));
  while (code == EINTR);
  return code;
}

}  // namespace

std::vector<int> nodes_of_ranks(const Communicator& comm) {
  if (comm.size() == 1) return {0};
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm.mpi(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  int lowest = comm.rank();
  check(MPI_Bcast(&lowest, 1, MPI_INT, 0, node), "MPI_Bcast");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  return comm.all_gather(lowest);
}

int ranks_per_node(std::span<const int> nodes) {
  const int size = std::count(nodes.begin(), nodes.end(), nodes.front());
  if (nodes.size() % size != 0) return 1;
  for (int rank = 0; rank < int(nodes.size()); ++rank)
    if (nodes[rank] != rank / size * size) return 1;
  return size;
}

NodeMemory::NodeMemory(const Communicator& node, Index size) {
  const std::size_t page = sysconf(_SC_PAGESIZE);
  const std::size_t pages = (size * sizeof(float) + page - 1) / page;
  bytes_ = pages * page;
  const auto ranks = node.size(), me = node.rank();

  int error = 0, file = -1;
  std::string name = new_name();
  if (me == 0) {
    file = shm_open(name.data(), O_CREAT | O_EXCL | O_RDWR, 0600);
    if (file < 0 || ftruncate(file, off_t(bytes_)) != 0) error = errno;
  }
  name = node.broadcast(name, 0);
  if (me != 0 && (file = shm_open(name.data(), O_RDWR, 0600)) < 0) error = errno;
  error = node.max(error);
  if (me == 0) shm_unlink(name.data());

  if (error == 0) error = allocate(file, pages * me / ranks * page, pages * (me + 1) / ranks * page);
  error = node.max(error);
  if (error == 0) {
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (at == MAP_FAILED)
      error = errno;
    else
      data_ = static_cast<float*>(at);
  }
  error = node.max(error);
  if (file >= 0) close(file);
  if (error == 0) return;
  unmap();
  if (me == 0)
    log_warning(concat("the ranks of a node cannot share ", bytes_text(double(bytes_)), " of memory (",
                       std::strerror(error), error == ENOSPC ? ": /dev/shm is too small" : "",
                       "), so each rank keeps its own copy, which is slower"));
}

NodeMemory::~NodeMemory() { unmap(); }

NodeMemory::NodeMemory(NodeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

NodeMemory& NodeMemory::operator=(NodeMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void NodeMemory::unmap() {
  if (data_ != nullptr) munmap(data_, bytes_);
  data_ = nullptr;
}

}  // namespace tesserec::comm
