// SPDX-License-Identifier: Apache-2.0
/// Messages that ranks send each other in one go.
#pragma once

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "rounding.hpp"
#include <tesserec/comm/transport.hpp>
#include <tesserec/core/placed.hpp>

namespace tesserec::sharding {

inline Index total(const std::vector<Index>& counts) { return std::accumulate(counts.begin(), counts.end(), Index{0}); }

/// Elements from this rank to each, and from each to it.
template <class T>
struct Counts {
  std::vector<Index> to, from;  // [rank]

  void clear(int ranks) {
    to.assign(ranks, 0);
    from.assign(ranks, 0);
  }
  /// Returns the bytes to ranks outside of `ranks`.
  Index bytes(Range ranks) const {
    return (total(to) - std::accumulate(to.begin() + ranks.begin, to.begin() + ranks.end, Index{0})) * Index{sizeof(T)};
  }
};

/// Numbers for the host, one rank's after the other's.
template <class T>
struct Message : Counts<T> {
  std::vector<T> out, in;
  comm::Pending under_way;

  void clear(int ranks) {
    Counts<T>::clear(ranks);
    out.clear();
    under_way = {};
  }
  /// `out`, `to` and `from` stand.
  void start(const comm::Communicator& comm) {
    in.resize(total(this->from));
    under_way = comm.start_all_to_all(out.data(), this->to, in.data(), this->from);
  }
};

/// The form in which a rank's bags of one shard go to its owner: one length a sample and feature, or, where that is
/// shorter, the samples that have ids and the lengths of these. Both sides know it from the counts.
struct BagForm {
  Index samples = 0;   ///< of the sender
  Index features = 0;  ///< of the shard's table
  Index listed = 0;    ///< samples with ids of some feature
  bool own = false;    ///< The sender is the owner, whose sums and gradients have a place for each sample.

  bool all() const { return own || (1 + features) * listed >= features * samples; }
  /// Returns the bags of a feature.
  Index bags() const { return all() ? samples : listed; }
  /// Returns how many numbers of 32 bits go before the ids: the list, then lengths feature by feature.
  Index numbers() const { return all() ? features * samples : (1 + features) * listed; }
  /// Returns the words of 64 bits that these take.
  Index words() const { return (numbers() + 1) / 2; }
};

/// Puts number `i`, which is not negative, into words of two that are 0 so far.
inline void put_number(Index* words, Index i, Index number) { words[i / 2] |= number << (i % 2 * 32); }
inline Index number_at(const Index* words, Index i) { return words[i / 2] >> (i % 2 * 32) & 0xffffffff; }

/// Front of the buffers of an exchange: this rank's pooled vectors [samples, width], then each sequence [ids, dim].
struct Front {
  struct Sequence {
    std::vector<Index> offsets;  // [samples + 1]
    Index at = 0;                // float offset
  };
  std::vector<Sequence> sequences;  // of Routes
  Index begin = 0, end = 0;         // float offsets
};

/// Vectors in the memory of kernels: rows on their way to the samples, or gradients on their way back. On the samples'
/// side a rank's own vectors lie first and stay where they are; `to` and `from` count those that travel.
class VectorMessage : public Counts<float> {
 public:
  VectorMessage(const Rounding& rounding, PlacedVector<float>& out, PlacedVector<float>& in)
      : out(out),
        in(in),
        rounding_(rounding),
        words_{PlacedVector<std::uint32_t>(out.place()), PlacedVector<std::uint32_t>(out.place())} {}
  PlacedVector<float>&out, &in;

  void clear(int ranks);
  /// The next numbers that go to a rank, or come from it; those of finished vectors may be rounded.
  void goes(int rank, Index numbers, bool finished) { add(to, going_, rank, numbers, finished); }
  void comes(int rank, Index numbers, bool finished) { add(from, coming_, rank, numbers, finished); }
  /// Returns the bytes to ranks outside of `ranks`.
  Index bytes(Range ranks) const;

  /// Sends vectors from `out_at` on, and receives others at `in_at`.
  void travel(const Exec& exec, const comm::Communicator& comm, Index out_at, Index in_at);
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
  static void each(const Runs& runs, const Visit& visit);

  Rounding rounding_;
  Runs going_, coming_;
  PlacedVector<std::uint32_t> words_[2];  // that go, that come
};

/// The sums and gradients of a batch, which kernels and answers work in. Each begins with the front, then come this
/// rank's own bags, then those of others; where this rank relays, behind them the same of the exchange inside the node.
struct BatchBuffers {
  explicit BatchBuffers(Place place) : sums(place), gradients(place) {}
  PlacedVector<float> sums, gradients;
};

/// All that ranks send each other for a batch: `rows.out` are its sums, `gradients.in` its gradients.
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

/// Float offsets: of what lies in the buffer of sums, and in that of gradients.
struct Offsets {
  Index sums = 0;
  Index gradients = 0;
};

}  // namespace tesserec::sharding
