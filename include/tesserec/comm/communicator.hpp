// SPDX-License-Identifier: Apache-2.0
/// How ranks talk. A Communicator wraps a caller's MPI_Comm; every count is 64-bit and every return code is checked.
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

class Communicator {
 public:
  /// Duplicates `parent`: messages of this communicator never meet the caller's. MPI_COMM_NULL: of this process alone.
  explicit Communicator(MPI_Comm parent);
  /// The ranks of `parent` with this rank's `color`, in their order. Collective.
  Communicator(const Communicator& parent, int color);
  /// The ranks of `parent`; `make` makes what moves numbers between their devices. Collective.
  Communicator(const Communicator& parent, const std::function<std::unique_ptr<Transport>(const Communicator&)>& make);
  /// Returns a communicator of this process alone. It never calls MPI, which need not be up.
  static Communicator self() { return Communicator(MPI_COMM_NULL); }
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return channel_.rank(); }
  int size() const { return channel_.size(); }
  /// MPI_COMM_NULL where it was made without MPI, which is of one rank.
  MPI_Comm mpi() const { return channel_.mpi(); }
  /// Returns what moves numbers between the devices of these ranks: a parent's, MPI if it has none.
  Transport& transport() const { return *transport_; }

  void barrier() const { channel_.barrier(); }
  /// Waits for all ranks at most `seconds`; whether all came. For a rank about to give up.
  bool meet(double seconds) const { return channel_.meet(seconds); }

  /// Order-free reductions: the same on every rank and for any number of ranks.
  Index sum(Index value) const;
  Index min(Index value) const;
  Index max(Index value) const;
  void sum(std::span<Index> values) const { channel_.reduce(values, MPI_SUM); }
  void max(std::span<Index> values) const { channel_.reduce(values, MPI_MAX); }

  template <class T>
  void broadcast(std::vector<T>& values, int root) const;
  std::string broadcast(const std::string& text, int root) const;

  /// All ranks' values, in rank order; counts per rank, when wanted.
  template <class T>
  std::vector<T> all_gather(std::span<const T> mine, std::vector<Index>* counts = nullptr) const;
  /// The same where all ranks have as many, which costs one message less.
  template <class T>
  std::vector<T> all_gather_equal(std::span<const T> mine) const;
  template <class T>
  std::vector<T> all_gather(const T& mine) const {
    return all_gather_equal(std::span<const T>(&mine, 1));
  }
  /// The same into `all`, where every rank knows the counts.
  template <class T>
  void all_gather(std::span<const T> mine, std::span<const Index> counts, T* all) const;

  /// Sends send_counts[r] elements to rank r, in rank order, and receives recv_counts[r] from it.
  template <class T>
  void all_to_all(const T* send, std::span<const Index> send_counts, T* recv, std::span<const Index> recv_counts) const;
  /// The same, returning at once. All ranks start and wait in the same order.
  template <class T>
  Pending start_all_to_all(const T* send, std::span<const Index> send_counts, T* recv,
                           std::span<const Index> recv_counts) const;
  /// send[r] goes to rank r, and recv[r], of the right size, comes from it; what is its own changes places.
  template <class T>
  void all_to_all(std::vector<std::vector<T>>& send, std::vector<std::vector<T>>& recv) const;
  /// The same for things that lie anywhere. What goes to a rank comes there in the order of the lists.
  Pending start_exchange(std::span<const Sent> sent, std::span<const Received> received) const {
    return channel_.start_exchange(sent, received);
  }
  /// One number to each rank, one from each.
  std::vector<Index> all_to_all(std::span<const Index> one_each) const { return channel_.all_to_all(one_each); }

  /// Sets the size of messages, bytes. A test makes it small.
  void set_piece(Index bytes) { channel_.set_piece(bytes); }

 private:
  /// Messages of each rank, its own left out.
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
void Communicator::all_gather(std::span<const T> mine, std::span<const Index> counts, T* all) const {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<Index> bytes(counts.begin(), counts.end());
  for (Index& n : bytes) n *= Index{sizeof(T)};
  channel_.all_gather(reinterpret_cast<const std::byte*>(mine.data()), bytes, reinterpret_cast<std::byte*>(all));
}

template <class T>
std::vector<T> Communicator::all_gather_equal(std::span<const T> mine) const {
  const std::vector<Index> counts(size(), std::ssize(mine));
  std::vector<T> all(mine.size() * counts.size());
  all_gather(mine, std::span<const Index>(counts), all.data());
  return all;
}

template <class T>
std::vector<T> Communicator::all_gather(std::span<const T> mine, std::vector<Index>* counts) const {
  std::vector<Index> each = all_gather(std::ssize(mine));
  std::vector<T> all(std::accumulate(each.begin(), each.end(), Index{0}));
  all_gather(mine, std::span<const Index>(each), all.data());
  if (counts != nullptr) *counts = std::move(each);
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
