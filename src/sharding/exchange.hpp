// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answers.hpp"
#include "asked.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/sharding/in_flight.hpp>

namespace tesserec::sharding {

class Relay;

/// The messages of one batch, each call after the one before it. One message holds everything that a rank has for
/// another. All ranks make the calls in the same order. Vectors lie where the tables do, `place`; ids on the host.
class Exchange {
 public:
  /// `node`: ranks of this node, if this rank may relay. A relay has the `buffers` of its exchange.
  Exchange(const comm::Communicator& comm, const comm::Communicator* node, const Routes& routes,
           const ExchangePrecision& precision, std::shared_ptr<BatchBuffers> buffers);
  ~Exchange();

  /// Sends id counts, and any error in this rank's ids. Vectors lie from float offset `front`. `gradients`: will come.
  void start(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, BatchSplit split, bool gradients,
             Index front = 0);
  /// The numbers have come, the ids leave. An Error of one rank's start is one on every rank here.
  void advance();
  /// The ids have come, and those that this rank relays are with the owners.
  void receive(const Exec& exec);
  std::vector<embedding::AskedShard>& asked() { return asked_.shards(); }
  /// The same as kernels want it.
  embedding::RowBatch rows() {
    return {.asked = asked(),
            .split = &split_,
            .own_lanes = split_.lanes(comm_.rank()),
            .gradients = gradients_,
            .lists = &asked_.lists()};
  }
  /// Returns the buffer to which lookups write their sums.
  float* sums(const Exec& exec);
  /// Returns pooled vectors [samples, pooled width], then sequences (front()): sums added by the tree of row blocks.
  float* return_sums(const Exec& exec);
  Front& front() { return requests_.front(); }
  /// Returns the buffer for their gradient, laid out likewise.
  float* gradient(const Exec& exec);
  /// It goes to the owners; Bags::gradients_at points into the result.
  const float* send_gradients(const Exec& exec);
  /// Gives up the batch and pinned rows, at any time. `wait`, on all ranks: waits for what was started.
  void finish(bool wait);

  enum class Stage { none, counts_sent, ids_sent, ids_here, pooled, gradient_asked, gradients_here };
  Stage stage() const { return stage_; }
  const BatchSplit& split() const { return split_; }
  /// Returns the samples of this rank.
  Range samples() const { return split_.samples(comm_.rank()); }
  BytesSent bytes() const;

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
  std::unique_ptr<Answers> answers_;
  Asked asked_;
  Messages messages_;
  BytesSent bytes_;
  std::unique_ptr<Relay> relay_;
};

/// Makes the exchanges of a collection's batches. Those of batches that have gone serve again, with their buffers.
class SpareExchanges {
 public:
  /// `node`: the number of this rank's node, where some table goes by two levels; then it is collective.
  SpareExchanges(const comm::Communicator& comm, std::optional<int> node, const Routes& routes, Place place,
                 const ExchangePrecision& precision)
      : comm_(comm), routes_(routes), place_(place), precision_(precision) {
    if (node) node_.emplace(comm, *node);
  }

  std::unique_ptr<Exchange> take() {
    if (spare_.empty())
      give(std::make_unique<Exchange>(comm_, node_ ? &*node_ : nullptr, routes_, precision_,
                                      std::make_shared<BatchBuffers>(place_)));
    std::unique_ptr<Exchange> exchange = std::move(spare_.back());
    spare_.pop_back();
    return exchange;
  }
  void give(std::unique_ptr<Exchange> exchange) { spare_.push_back(std::move(exchange)); }

 private:
  const comm::Communicator& comm_;
  std::optional<comm::Communicator> node_;  // its ranks
  const Routes& routes_;
  Place place_;
  ExchangePrecision precision_;
  std::vector<std::unique_ptr<Exchange>> spare_;
};

}  // namespace tesserec::sharding
