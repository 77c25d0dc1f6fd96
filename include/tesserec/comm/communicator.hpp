// SPDX-License-Identifier: Apache-2.0
/// Communication between ranks. Every count is 64-bit and every return code is checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tesserec/comm/message_channel.hpp>

namespace tesserec::comm {

class Transport;

/// A duplicate of a caller's MPI_Comm, with a Transport between the devices of its ranks.
class Communicator {
 public:
  /// Duplicates `parent`, so that messages of this communicator never match the caller's receives. MPI_COMM_NULL stands
  /// for this process alone, without MPI. Collective.
  explicit Communicator(MPI_Comm parent);
  /// Takes the ranks of `parent` that give the same `color`, in their order. Collective.
  Communicator(const Communicator& parent, int color);
  /// Duplicates `parent`; `make` creates the transport between the devices of its ranks. Collective.
  Communicator(const Communicator& parent, const std::function<std::unique_ptr<Transport>(const Communicator&)>& make);
  /// Returns a communicator of this process alone. MPI need not be initialized.
  static Communicator self() { return Communicator(MPI_COMM_NULL); }
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return channel_.rank(); }
  int size() const { return channel_.size(); }
  /// Returns the duplicate; MPI_COMM_NULL if this process is alone, without MPI.
  MPI_Comm mpi() const { return channel_.mpi(); }
  /// Returns the transport between the devices of these ranks. It has the type of the parent communicator's transport,
  /// or uses MPI if there is no parent.
  Transport& transport() const { return *transport_; }

  void barrier() const { channel_.barrier(); }
  /// Waits for all ranks at most `seconds`; returns whether all have called it. Serves a rank that is about to give up.
  bool barrier_within(double seconds) const { return channel_.barrier_within(seconds); }

  /// Reduces integers over the ranks, a span element by element and in place. The result does not depend on the order
  /// of the ranks. Collective.
  Index sum(Index value) const;
  Index min(Index value) const;
  Index max(Index value) const;
  void sum(std::span<Index> values) const { channel_.reduce(values, MPI_SUM); }
  void max(std::span<Index> values) const { channel_.reduce(values, MPI_MAX); }

  /// Copies the values of rank `root` to all ranks; resizes `values` there. Collective.
  template <class T>
  void broadcast(std::vector<T>& values, int root) const;
  std::string broadcast(const std::string& text, int root) const;

  /// Gathers all ranks' values in rank order. Stores each rank's count in `counts` unless it is null. Collective.
  template <class T>
  std::vector<T> all_gather(std::span<const T> own, std::vector<Index>* counts = nullptr) const;
  /// Gathers equally many values from every rank, with one message less than all_gather(). Collective.
  template <class T>
  std::vector<T> all_gather_equal(std::span<const T> own) const;
  /// Gathers one value from every rank. Collective.
  template <class T>
  std::vector<T> all_gather(const T& own) const {
    return all_gather_equal(std::span<const T>(&own, 1));
  }
  /// Gathers all ranks' values into `all`, in rank order. Every rank passes the `counts` of all ranks. Collective.
  template <class T>
  void all_gather(std::span<const T> own, std::span<const Index> counts, T* all) const;

  /// Sends send_counts[r] elements to each rank r and receives recv_counts[r] from it. Both buffers are in rank order.
  /// Blocks until all elements have arrived. Collective.
  template <class T>
  void all_to_all(const T* send, std::span<const Index> send_counts, T* recv, std::span<const Index> recv_counts) const;
  /// Starts all_to_all() and does not block. The buffers must stay until Pending::wait(). All ranks start and wait in
  /// the same order.
  template <class T>
  Pending start_all_to_all(const T* send, std::span<const Index> send_counts, T* recv,
                           std::span<const Index> recv_counts) const;
  /// Sends send[r] to each rank r and receives recv[r] from it; recv[r] has the right size already. Swaps the rank's
  /// own two vectors. Collective.
  template <class T>
  void all_to_all(std::vector<std::vector<T>>& send, std::vector<std::vector<T>>& recv) const;
  /// Starts messages from and to any addresses and does not block. Messages to a rank arrive in the order of the lists.
  Pending start_exchange(std::span<const Sent> sent, std::span<const Received> received) const {
    return channel_.start_exchange(sent, received);
  }
  /// Sends one number to each rank and returns one number from each. Collective.
  std::vector<Index> all_to_all(std::span<const Index> numbers) const { return channel_.all_to_all(numbers); }

  /// Sets the largest single message [bytes], a multiple of 8. Tests make it small.
  void set_piece(Index bytes) { channel_.set_piece(bytes); }

 private:
  /// Messages to and from the other ranks.
  struct Parcels {
    std::vector<Sent> sent;
    std::vector<Received> received;
    template <class T>
    void add(int rank, const T* from, Index send_count, T* to, Index recv_count);
  };

  MessageChannel channel_;
  std::unique_ptr<Transport> transport_;
};

template <class T>
void Communicator::all_to_all(const T* send, std::span<const Index> send_counts, T* recv,
                              std::span<const Index> recv_counts) const {
  start_all_to_all(send, send_counts, recv, recv_counts).wait();
}

template <class T>
void Communicator::Parcels::add(int rank, const T* from, Index send_count, T* to, Index recv_count) {
  static_assert(std::is_trivially_copyable_v<T>);
  sent.push_back({rank, from, send_count * Index{sizeof(T)}});
  received.push_back({rank, to, recv_count * Index{sizeof(T)}});
}

template <class T>
Pending Communicator::start_all_to_all(const T* send, std::span<const Index> send_counts, T* recv,
                                       std::span<const Index> recv_counts) const {
  Parcels parcels;
  for (int r = 0; r < size(); ++r) {
    if (r == rank())
      std::copy_n(send, send_counts[r], recv);
    else
      parcels.add(r, send, send_counts[r], recv, recv_counts[r]);
    send += send_counts[r];
    recv += recv_counts[r];
  }
  return start_exchange(parcels.sent, parcels.received);
}

template <class T>
void Communicator::all_to_all(std::vector<std::vector<T>>& send, std::vector<std::vector<T>>& recv) const {
  Parcels parcels;
  for (int r = 0; r < size(); ++r)
    if (r != rank()) parcels.add(r, send[r].data(), std::ssize(send[r]), recv[r].data(), std::ssize(recv[r]));
  std::swap(send[rank()], recv[rank()]);
  start_exchange(parcels.sent, parcels.received).wait();
}

template <class T>
void Communicator::all_gather(std::span<const T> own, std::span<const Index> counts, T* all) const {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<Index> bytes(counts.begin(), counts.end());
  for (Index& n : bytes) n *= Index{sizeof(T)};
  channel_.all_gather(reinterpret_cast<const std::byte*>(own.data()), bytes, reinterpret_cast<std::byte*>(all));
}

template <class T>
std::vector<T> Communicator::all_gather_equal(std::span<const T> own) const {
  const std::vector<Index> counts(size(), std::ssize(own));
  std::vector<T> all(own.size() * counts.size());
  all_gather(own, std::span<const Index>(counts), all.data());
  return all;
}

template <class T>
std::vector<T> Communicator::all_gather(std::span<const T> own, std::vector<Index>* counts) const {
  std::vector<Index> sizes = all_gather(std::ssize(own));
  std::vector<T> all(std::accumulate(sizes.begin(), sizes.end(), Index{0}));
  all_gather(own, std::span<const Index>(sizes), all.data());
  if (counts != nullptr) *counts = std::move(sizes);
  return all;
}

template <class T>
void Communicator::broadcast(std::vector<T>& values, int root) const {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<Index> count(1, std::ssize(values));
  channel_.broadcast(reinterpret_cast<std::byte*>(count.data()), sizeof(Index), root);
  values.resize(count[0]);
  channel_.broadcast(reinterpret_cast<std::byte*>(values.data()), count[0] * sizeof(T), root);
}

}  // namespace tesserec::comm
