// SPDX-License-Identifier: Apache-2.0
/// Messages between all ranks, each exchanged by one all-to-all.
#pragma once

#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "rounding.hpp"
#include <tesserec/comm/transport.hpp>
#include <tesserec/core/placed.hpp>

namespace tesserec::sharding {

inline Index total(const std::vector<Index>& counts) { return std::accumulate(counts.begin(), counts.end(), Index{0}); }

/// Numbers of elements that this rank sends to and receives from each rank.
template <class T>
struct Counts {
  std::vector<Index> to, from;  // [rank]

  void clear(int ranks) {
    to.assign(ranks, 0);
    from.assign(ranks, 0);
  }
  /// Returns the bytes sent to ranks outside of `ranks`.
  Index bytes(Range ranks) const {
    return (total(to) - std::accumulate(to.begin() + ranks.begin, to.begin() + ranks.end, Index{0})) * Index{sizeof(T)};
  }
};

/// Message in host memory, ordered by rank.
template <class T>
struct Message : Counts<T> {
  std::vector<T> out, in;
  comm::Pending pending;

  void clear(int ranks) {
    Counts<T>::clear(ranks);
    out.clear();
    pending = {};
  }
  /// Starts the exchange. `out`, `to` and `from` must be complete.
  void start(const comm::Communicator& comm) {
    in.resize(total(this->from));
    pending = comm.start_all_to_all(out.data(), this->to, in.data(), this->from);
  }
};

/// Encoding of a rank's bags of one shard for the owner. It has one length per sample and feature, or, if that is
/// shorter, a list of the samples that have ids and one length for each. Both ranks derive the choice from the counts.
struct BagForm {
  Index samples = 0;   ///< samples of the sender
  Index features = 0;  ///< features of the shard's table
  Index listed = 0;    ///< number of samples with ids of any feature
  bool own = false;    ///< the sender is the owner, whose sums and gradients need an entry for every sample

  bool dense() const { return own || (1 + features) * listed >= features * samples; }
  /// Returns the number of bags per feature.
  Index bags() const { return dense() ? samples : listed; }
  /// Returns the number of 32-bit numbers before the ids: the list, then lengths feature by feature.
  Index numbers() const { return dense() ? features * samples : (1 + features) * listed; }
  /// Returns the 64-bit words that these numbers take.
  Index words() const { return (numbers() + 1) / 2; }
};

/// Stores number `i` of packed words, each of two numbers in [0, 2^31).
inline void put_number(Index* words, Index i, Index number) {
  const auto half = std::int32_t(number);
  std::memcpy(reinterpret_cast<char*>(words) + i * Index{sizeof half}, &half, sizeof half);
}
inline void put_numbers(Index* words, Index i, std::span<const std::int32_t> numbers) {
  if (numbers.empty()) return;
  std::memcpy(reinterpret_cast<char*>(words) + i * Index{sizeof numbers[0]}, numbers.data(), numbers.size_bytes());
}
inline Index number_at(const Index* words, Index i) {
  std::int32_t half;
  std::memcpy(&half, reinterpret_cast<const char*>(words) + i * Index{sizeof half}, sizeof half);
  return half;
}

/// Front of an exchange's buffers: this rank's pooled vectors [samples, width], then each sequence [ids, dim].
struct Front {
  struct Sequence {
    std::vector<Index> offsets;  // [samples + 1]
    Index at = 0;                // float offset
  };
  std::vector<Sequence> sequences;  // in the order of VectorLayout::sequences
  Index begin = 0, end = 0;         // float offsets
};

/// Message of vectors in the memory of kernels: rows to the samples' side, or gradients to the owners. On the samples'
/// side a rank's own vectors lie first and are not sent; `to` and `from` count only sent vectors.
class VectorMessage : public Counts<float> {
 public:
  VectorMessage(const Rounding& rounding, PlacedVector<float>& out, PlacedVector<float>& in)
      : out(out),
        in(in),
        rounding_(rounding),
        words_{PlacedVector<std::uint32_t>(out.place()), PlacedVector<std::uint32_t>(out.place())} {}
  PlacedVector<float>&out, &in;

  void clear(int ranks);
  /// Appends numbers to the message that is sent to a rank, or received from it. Numbers of finished vectors may be
  /// rounded.
  void append_send(int rank, Index numbers, bool finished) { add(to, send_runs_, rank, numbers, finished); }
  void append_receive(int rank, Index numbers, bool finished) { add(from, receive_runs_, rank, numbers, finished); }
  /// Returns the bytes sent to ranks outside of `ranks`.
  Index bytes(Range ranks) const;

  /// Sends vectors from float offset `out_at` of `out`, and receives vectors at `in_at` of `in`. Collective.
  void transfer(const Exec& exec, const comm::Communicator& comm, Index out_at, Index in_at);
  const Rounding& rounding() const { return rounding_; }

 private:
  struct Run {
    Index numbers;
    bool finished;
  };
  using Runs = std::vector<std::vector<Run>>;  // [rank]
  static void add(std::vector<Index>& counts, Runs& runs, int rank, Index numbers, bool finished);
  static Index words(const Run& run);
  static std::vector<Index> words(const Runs& runs);  // [rank]
  template <class Visit>                              // visit(run, float offset, word offset)
  static void visit_runs(const Runs& runs, const Visit& visit);

  Rounding rounding_;
  Runs send_runs_, receive_runs_;
  PlacedVector<std::uint32_t> words_[2];  // sent words, received words
};

/// Buffers of a batch's sums and gradients. Each holds the front, then vectors of this rank's own bags, then those of
/// other ranks' bags. On a relay, the same areas of the exchange inside the node follow.
struct BatchBuffers {
  explicit BatchBuffers(Place place) : sums(place), gradients(place) {}
  PlacedVector<float> sums, gradients;
};

/// All messages of a batch. `rows.out` is the buffer of sums, and `gradients.in` the buffer of gradients.
class Messages {
  PlacedVector<float> rows_in_, gradients_out_;

 public:
  Messages(std::shared_ptr<BatchBuffers> shared, const Rounding& forward, const Rounding& backward)
      : rows_in_(shared->sums.place()),
        gradients_out_(shared->sums.place()),
        buffers(std::move(shared)),
        rows(forward, buffers->sums, rows_in_),
        gradients(backward, gradients_out_, buffers->gradients) {}

  const std::shared_ptr<BatchBuffers> buffers;
  Message<std::int32_t> counts;
  Message<Index> ids;
  Message<float> weights;
  VectorMessage rows, gradients;

  void clear(int ranks) {
    counts.clear(ranks);
    ids.clear(ranks);
    weights.clear(ranks);
    rows.clear(ranks);
    gradients.clear(ranks);
  }
};

/// Float offsets into the buffer of sums and into the buffer of gradients.
struct Offsets {
  Index sums = 0;
  Index gradients = 0;
};

}  // namespace tesserec::sharding
