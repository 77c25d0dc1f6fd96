// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <thread>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::comm {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(call, " failed: ", std::string(text, static_cast<std::size_t>(length)));
}

thread_local int Alone::depth_ = 0;

void Communicator::together(const char* call) const {
  if (size_ > 1 && Alone::now())
    throw std::logic_error(std::string(call) + " inside comm::agree, where a rank is alone");
}

Communicator::Communicator(MPI_Comm parent) {
  check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  learn_place();
}

Communicator::Communicator(const Communicator& parent, int color) : piece_(parent.piece_) {
  parent.together("MPI_Comm_split");
  check(MPI_Comm_split(parent.mpi(), color, parent.rank(), &comm_), "MPI_Comm_split");
  learn_place();
}

void Communicator::learn_place() {
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Communicator::~Communicator() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&comm_);
}

void Communicator::barrier() const {
  together("MPI_Barrier");
  check(MPI_Barrier(comm_), "MPI_Barrier");
}

bool Communicator::meet(double seconds) const {
  MPI_Request request;
  check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
  const Timer timer;
  int done = 0;
  while (true) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done || timer.seconds() > seconds) return done != 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void Communicator::sum(std::span<Index> values) const {
  together("MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM, comm_),
        "MPI_Allreduce");
}

void Communicator::max(std::span<Index> values) const {
  together("MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_MAX, comm_),
        "MPI_Allreduce");
}

Index Communicator::sum(Index value) const {
  sum(std::span<Index>(&value, 1));
  return value;
}

Index Communicator::max(Index value) const {
  max(std::span<Index>(&value, 1));
  return value;
}

Index Communicator::min(Index value) const {
  together("MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MIN, comm_), "MPI_Allreduce");
  return value;
}

std::string Communicator::broadcast(const std::string& text, int root) const {
  std::vector<char> bytes(text.begin(), text.end());
  broadcast(bytes, root);
  return {bytes.begin(), bytes.end()};
}

std::vector<Index> Communicator::all_to_all(std::span<const Index> one_each) const {
  together("MPI_Alltoall");
  std::vector<Index> received(static_cast<std::size_t>(size_));
  check(MPI_Alltoall(one_each.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, comm_), "MPI_Alltoall");
  return received;
}

void Communicator::broadcast_bytes(std::byte* data, Index bytes, int root) const {
  together("MPI_Bcast");
  for (Index done = 0; done < bytes; done += piece_)
    check(MPI_Bcast(data + done, static_cast<int>(std::min(piece_, bytes - done)), MPI_BYTE, root, comm_), "MPI_Bcast");
}

void Pending::wait() {
  if (requests_.empty()) return;
  check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  requests_.clear();
}

Pending::~Pending() {
  for (MPI_Request& request : requests_) {  // their codes change nothing any more
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
}

Pending Communicator::exchange(std::span<const std::byte* const> send, std::span<const Index> send_bytes,
                               std::byte* recv, std::span<const Index> recv_bytes) const {
  together("MPI_Isend");
  // Open MPI 4.1 has no large-count calls: every pair of ranks exchanges pieces of at most piece_ bytes.
  Pending pending;
  std::vector<MPI_Request>& requests = pending.requests_;
  constexpr int tag = 1;
  Index recv_at = 0, self_to = 0;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) self_to = recv_at;
    for (Index done = 0; r != rank_ && done < recv_bytes[r]; done += piece_)
      check(MPI_Irecv(recv + recv_at + done, static_cast<int>(std::min(piece_, recv_bytes[r] - done)), MPI_BYTE, r, tag,
                      comm_, &requests.emplace_back()),
            "MPI_Irecv");
    recv_at += recv_bytes[r];
  }
  for (int r = 0; r < size_; ++r)
    for (Index done = 0; r != rank_ && done < send_bytes[r]; done += piece_)
      check(MPI_Isend(send[r] + done, static_cast<int>(std::min(piece_, send_bytes[r] - done)), MPI_BYTE, r, tag, comm_,
                      &requests.emplace_back()),
            "MPI_Isend");
  if (send_bytes[rank_] > 0) std::memcpy(recv + self_to, send[rank_], static_cast<std::size_t>(send_bytes[rank_]));
  return pending;
}

}  // namespace tesserec::comm
