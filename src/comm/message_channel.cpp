// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "waiting.hpp"
#include <tesserec/comm/message_channel.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::comm {
namespace {

/// Calls call(first, number) for runs of at most `piece` of `count` elements, since Open MPI 4.1 has no
/// large-count calls.
template <class Call>
void in_pieces(Index count, Index piece, const Call& call) {
  for (Index done = 0; done < count; done += piece) call(done, int(std::min(piece, count - done)));
}

/// Makes a call of MPI in which ranks wait for each other. Throws Error with `name` if it fails.
template <class Call>
void wait_in(const char* name, const Call& call) {
  const Waiting waiting;
  check(call(), name);
}

}  // namespace

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(call, " failed: ", std::string(text, length));
}

thread_local int Alone::depth_ = 0;

bool MessageChannel::has_peers(const char* call) const {
  if (size_ > 1 && Alone::now())
    throw std::logic_error(std::string(call) + " inside comm::agree, where a rank is alone");
  return size_ > 1;
}

MessageChannel::MessageChannel(MPI_Comm parent, Index piece) : piece_(piece) {
  if (parent == MPI_COMM_NULL) return;
  check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  query_rank();
}

MessageChannel::MessageChannel(const MessageChannel& parent, int color) : piece_(parent.piece_) {
  parent.has_peers("MPI_Comm_split");
  if (parent.comm_ == MPI_COMM_NULL) return;
  check(MPI_Comm_split(parent.comm_, color, parent.rank_, &comm_), "MPI_Comm_split");
  query_rank();
}

void MessageChannel::query_rank() {
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

MessageChannel::~MessageChannel() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (comm_ != MPI_COMM_NULL && !finalized) MPI_Comm_free(&comm_);
}

void MessageChannel::barrier() const {
  if (has_peers("MPI_Barrier")) wait_in("MPI_Barrier", [&] { return MPI_Barrier(comm_); });
}

bool MessageChannel::barrier_within(double seconds) const {
  if (size_ == 1) return true;
  MPI_Request request;
  check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
  const Waiting waiting;
  const Timer timer;
  int done = 0;
  while (true) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done || timer.seconds() > seconds) return done != 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void MessageChannel::reduce(std::span<Index> values, MPI_Op operation) const {
  if (!has_peers("MPI_Allreduce")) return;
  in_pieces(std::ssize(values), piece_ / Index{sizeof(Index)}, [&](Index at, int n) {
    wait_in("MPI_Allreduce",
            [&] { return MPI_Allreduce(MPI_IN_PLACE, values.data() + at, n, MPI_INT64_T, operation, comm_); });
  });
}

std::vector<Index> MessageChannel::all_to_all(std::span<const Index> numbers) const {
  std::vector<Index> received(numbers.begin(), numbers.end());
  if (!has_peers("MPI_Alltoall")) return received;
  wait_in("MPI_Alltoall",
          [&] { return MPI_Alltoall(numbers.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, comm_); });
  return received;
}

void MessageChannel::broadcast(std::byte* data, Index bytes, int root) const {
  if (!has_peers("MPI_Bcast")) return;
  in_pieces(bytes, piece_, [&](Index at, int n) {
    wait_in("MPI_Bcast", [&] { return MPI_Bcast(data + at, n, MPI_BYTE, root, comm_); });
  });
}

void MessageChannel::all_gather(const std::byte* own, std::span<const Index> bytes, std::byte* all) const {
  if (!has_peers("MPI_Allgatherv")) {
    std::copy_n(own, bytes.front(), all);
    return;
  }
  std::vector<Index> offsets(bytes.size());
  std::exclusive_scan(bytes.begin(), bytes.end(), offsets.begin(), Index{0});
  if (offsets.back() + bytes.back() <= piece_) {
    const std::vector<int> counts(bytes.begin(), bytes.end()), at(offsets.begin(), offsets.end());
    wait_in("MPI_Allgatherv", [&] {
      return MPI_Allgatherv(own, counts[rank_], MPI_BYTE, all, counts.data(), at.data(), MPI_BYTE, comm_);
    });
    return;
  }
  // The offsets do not fit into an int, so the ranks broadcast one after the other.
  std::copy_n(own, bytes[rank_], all + offsets[rank_]);
  for (int r = 0; r < size_; ++r) broadcast(all + offsets[r], bytes[r], r);
}

void Pending::wait() {
  if (requests_.empty()) return;
  wait_in("MPI_Waitall", [&] { return MPI_Waitall(int(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); });
  requests_.clear();
}

Pending::~Pending() {
  for (MPI_Request& request : requests_) {  // The codes are ignored, since this rank ends with an error.
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
}

Pending MessageChannel::start_exchange(std::span<const Sent> sent, std::span<const Received> received) const {
  Pending pending;
  if (!has_peers("MPI_Isend")) return pending;
  std::vector<MPI_Request>& requests = pending.requests_;
  constexpr int tag = 1;
  for (const Received& message : received)
    in_pieces(message.bytes, piece_, [&](Index at, int n) {
      check(MPI_Irecv(static_cast<std::byte*>(message.at) + at, n, MPI_BYTE, message.from, tag, comm_,
                      &requests.emplace_back()),
            "MPI_Irecv");
    });
  for (const Sent& message : sent)
    in_pieces(message.bytes, piece_, [&](Index at, int n) {
      check(MPI_Isend(static_cast<const std::byte*>(message.at) + at, n, MPI_BYTE, message.to, tag, comm_,
                      &requests.emplace_back()),
            "MPI_Isend");
    });
  return pending;
}

}  // namespace tesserec::comm
