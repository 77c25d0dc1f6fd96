// SPDX-License-Identifier: Apache-2.0
/// What ranks send each other in one go.
#pragma once

#include <numeric>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/kokkos.hpp>

namespace tesserec::sharding {

inline Index total(const std::vector<Index>& counts) { return std::accumulate(counts.begin(), counts.end(), Index{0}); }

/// Elements from this rank to each, and from each to it, one rank's after the other's.
template <class T>
struct Message {
  std::vector<Index> to, from;  // [rank]
  std::vector<T> out, in;
  comm::Pending under_way;

  void clear(int ranks) {
    to.assign(static_cast<std::size_t>(ranks), 0);
    from.assign(static_cast<std::size_t>(ranks), 0);
    out.clear();
    under_way = {};
  }
  /// `out`, `to` and `from` stand.
  void start(const comm::Communicator& comm) {
    in.resize(total(from));
    under_way = comm.start_all_to_all(out.data(), to, in.data(), from);
  }
  /// To other ranks.
  Index bytes(int rank) const { return (total(to) - to[rank]) * Index{sizeof(T)}; }
};

/// The same for vectors of floats, which lie in the memory of kernels. At the samples `rows` come in and gradients go
/// out; [own, ...) of the other side is for others, what lies before it never travels.
struct VectorMessage {
  std::vector<Index> to, from;  // [rank]
  Vector<float> out, in;

  void clear(int ranks) {
    to.assign(static_cast<std::size_t>(ranks), 0);
    from.assign(static_cast<std::size_t>(ranks), 0);
  }
  Index bytes(int rank) const { return (total(to) - to[rank]) * Index{sizeof(float)}; }
};

/// Float offsets: of what lies in the buffer of sums, and in that of gradients.
struct Offsets {
  Index sums = 0;
  Index gradients = 0;
};

}  // namespace tesserec::sharding
