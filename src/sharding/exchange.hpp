// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "answers.hpp"
#include "received_lookups.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/sharding/in_flight.hpp>
#include <tesserec/sharding/replica_groups.hpp>

namespace tesserec::sharding {

class Relay;

/// Messages of one batch, exchanged in the order of the calls. One message has everything that a rank sends to another.
/// All ranks must make the calls in the same order. Vectors lie in the tables' memory, ids on the host.
class Exchange {
 public:
  /// Takes the ranks of this node as `node`, or null without relays. `buffers` are shared by an exchange and its relay.
  Exchange(const ExchangeRanks& ranks, const comm::Communicator* node, const Routes& routes,
           const ExchangePrecision& precision, std::shared_ptr<BatchBuffers> buffers);
  ~Exchange();

  /// Sends id counts, together with any error in this rank's ids. Vectors begin at float offset `front`. `gradients`:
  /// gradients will follow. Does not block.
  void start(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, BatchSplit split, bool gradients,
             Index front = 0);
  /// Receives the counts and sends the ids. Blocks until the counts of all groups have arrived. Throws Error on every
  /// rank of all groups if start() found an error on one.
  void advance();
  /// Receives the ids, and sends relayed ones to the owners on this node. Blocks.
  void receive(const Exec& exec);
  std::vector<embedding::ShardLookups>& lookups() { return lookups_.shards(); }
  /// Returns the batch in the form of RowKernels.
  embedding::RowBatch rows() {
    return {.lookups = lookups(),
            .split = &split_,
            .own_lanes = split_.lanes(ranks_.group.rank()),
            .gradients = gradients_,
            .lists = &lookups_.lists()};
  }
  /// Returns the buffer to which lookups write their sums.
  float* sums(const Exec& exec);
  /// Returns pooled vectors [samples, pooled width], then sequences (front()). The sums are added by the tree of row
  /// blocks.
  float* return_sums(const Exec& exec);
  Front& front() { return requests_.front(); }
  /// Returns the buffer for the gradient of these vectors, in the same layout.
  float* gradient(const Exec& exec);
  /// Sends the gradient to the owners. Returns the gradients of bags, to which Bags::gradients_at refers.
  const float* send_gradients(const Exec& exec);
  /// Gives up the batch and its pinned rows, at any stage. `wait`: blocks until started messages have arrived; all
  /// ranks must then call it.
  void finish(bool wait);

  enum class Stage { none, counts_sent, ids_sent, ids_received, pooled, gradient_buffer_returned, gradients_received };
  Stage stage() const { return stage_; }
  const BatchSplit& split() const { return split_; }
  /// Returns the samples of this rank.
  Range samples() const { return split_.samples(ranks_.group.rank()); }
  BytesSent bytes() const;

 private:
  void enter(Stage from, Stage to);
  template <class Sent>
  void count(const Sent& sent);
  /// Returns the ends of this exchange's vectors in rows.out and gradients.in, as float offsets.
  Offsets ends() const;

  const ExchangeRanks ranks_;
  const Routes& routes_;
  Stage stage_ = Stage::none;
  BatchSplit split_;
  bool gradients_ = true;
  std::string error_;  // error in this rank's ids; empty = none
  Requests requests_;
  std::unique_ptr<Answers> answers_;
  ReceivedLookups lookups_;
  Messages messages_;
  BytesSent bytes_;
  std::unique_ptr<Relay> relay_;
};

/// Maker of the exchanges of a collection's batches. It reuses the exchanges of finished batches with their buffers.
class SpareExchanges {
 public:
  SpareExchanges(const ReplicaGroups& groups, const Routes& routes, Place place, const ExchangePrecision& precision)
      : groups_(groups), routes_(routes), place_(place), precision_(precision) {}

  std::unique_ptr<Exchange> take() {
    if (spare_.empty())
      put_back(std::make_unique<Exchange>(ExchangeRanks(groups_.group(), groups_.copies()), groups_.node(), routes_,
                                          precision_, std::make_shared<BatchBuffers>(place_)));
    std::unique_ptr<Exchange> exchange = std::move(spare_.back());
    spare_.pop_back();
    return exchange;
  }
  void put_back(std::unique_ptr<Exchange> exchange) { spare_.push_back(std::move(exchange)); }

 private:
  const ReplicaGroups& groups_;
  const Routes& routes_;
  Place place_;
  ExchangePrecision precision_;
  std::vector<std::unique_ptr<Exchange>> spare_;
};

}  // namespace tesserec::sharding
