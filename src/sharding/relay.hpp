// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "device_vectors.hpp"
#include "exchange.hpp"

namespace tesserec::sharding {

/// Second level of one batch's exchange. This rank forwards its partners' lookups to the owners on its node, as if all
/// samples were its own. It returns one finished vector per bag, and receives the vector's gradient.
class Relay {
 public:
  /// Takes the `buffers` of the exchange that it serves. Vectors inside the node lie after the vectors of that
  /// exchange.
  Relay(const comm::Communicator& node, const Routes& routes, const ExchangePrecision& precision,
        std::shared_ptr<BatchBuffers> buffers);

  /// Sends the ids of ReceivedLookups::relays to the owners. Vectors begin at float offset `begin`. Collective in the
  /// node.
  void request(const Exec& exec, const std::vector<embedding::ShardLookups>& relays, const BatchSplit& split,
               Index begin);
  /// Receives the owners' sums, and writes the finished vectors to the partners' vectors. Collective in the node.
  void return_sums(const Exec& exec);
  /// Sends the partners' gradients, which must have arrived, to the owners. Collective in the node.
  void send_gradients(const Exec& exec);

  Exchange& inside() { return node_exchange_; }

 private:
  /// Vectors of one feature for the samples of one partner.
  struct Run {
    const embedding::Bags* bags;
    Index sums_at;      // float offset of the first sum for the partner
    Index inside_at;    // float offset of the first vector inside the node
    Index inside_step;  // floats from one vector inside the node to the next, bags without ids included
    Index dim;
  };
  void copy_bags(const Exec& exec, const std::vector<embedding::ShardLookups>& relays, const BatchSplit& split);
  void find_runs(const std::vector<embedding::ShardLookups>& relays);
  void copy_vectors(const Exec& exec, float* data, bool gradients);
  template <class Visit>  // visit(outside, inside), with float offsets
  static void visit_vectors(const Run& run, Index outside, Index stride, const Visit& visit);

  const Routes& routes_;
  std::shared_ptr<BatchBuffers> buffers_;
  Exchange node_exchange_;
  std::vector<Index> samples_;  // number of samples of each partner
  jagged::KeyedJaggedTensor sparse_;
  std::vector<Run> runs_;
  DeviceVectors device_;
};

}  // namespace tesserec::sharding
