// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "asked.hpp"
#include "requests.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::sharding {

class Relay;

/// The messages of one batch, each call after the one before it. One message holds everything that a rank has for
/// another. All ranks make the calls in the same order. Vectors lie where the tables do, `place`; ids on the host.
class Exchange {
 public:
  /// `node`: the ranks of this node, where there is a Routes::inside.
  Exchange(const comm::Communicator& comm, const comm::Communicator* node, const Routes& routes, Place place,
           const ExchangePrecision& precision);
  ~Exchange();

  /// Numbers of ids leave. What is wrong with this rank's ids travels with them. The buffers of vectors are used from
  /// float offset `front` on.
  /// `gradients`: they will be sent.
  void start(const jagged::KeyedJaggedTensor& sparse, BatchSplit split, bool gradients, Index front = 0);
  /// The numbers have come, the ids leave. An Error of one rank's start is one on every rank here.
  void advance();
  /// The ids have come, and those that this rank relays are with the owners.
  void receive(const Exec& exec);
  std::vector<embedding::AskedShard>& asked() { return asked_.shards(); }
  /// The same as kernels want it.
  embedding::RowBatch rows() {
    return {.asked = asked(), .split = &split_, .own_lanes = split_.lanes(comm_.rank()), .gradients = gradients_};
  }
  /// Where lookups write their sums.
  float* sums(const Exec& exec);
  /// They go to the samples' ranks and are added by the tree of row blocks. Pooled vectors [samples, pooled width],
  /// then those of sequences, as front() has them.
  const float* return_sums(const Exec& exec);
  Front& front() { return requests_.front(); }
  /// Where their gradient is to be written, likewise.
  float* gradient(const Exec& exec);
  /// It goes to the owners; Bags::gradients_at points into the result.
  const float* send_gradients(const Exec& exec);
  /// Gives up what has not arrived, at any time, and the rows that are pinned.
  void cancel();
  /// Instead, on all ranks: lets arrive what was started.
  void finish();

  enum class Stage { none, counts_sent, ids_sent, ids_here, pooled, gradient_asked, gradients_here };
  Stage stage() const { return stage_; }
  /// After return_sums, and after gradient: what begins with the front.
  float* vectors() const { return messages_.rows.out.data(); }
  float* gradients() const { return messages_.gradients.in.data(); }
  const BatchSplit& split() const { return split_; }
  /// Of this rank.
  Range samples() const { return split_.samples(comm_.rank()); }
  /// From this rank to others, and of these to other nodes.
  struct Bytes {
    Index sent = 0, between_nodes = 0;
  };
  Bytes bytes() const;

 private:
  void go(Stage from, Stage to);
  template <class Sent>
  void count(const Sent& sent);
  /// Returns the float offsets behind all that this exchange has in rows.out and gradients.in.
  Offsets ends() const;

  const comm::Communicator& comm_;
  const Routes& routes_;
  Stage stage_ = Stage::none;
  BatchSplit split_;
  bool gradients_ = true;
  std::string error_;  // of this rank's ids
  Requests requests_;
  Asked asked_;
  Messages messages_;
  Bytes bytes_;
  std::unique_ptr<Relay> relay_;
};

}  // namespace tesserec::sharding
