// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "device_vectors.hpp"
#include "exchange.hpp"

namespace tesserec::sharding {

/// The second level of one batch: this rank asks the owners on its node what its partners, the ranks in its place on
/// all nodes, ask of them, as if all samples were its own. One finished vector a bag returns, its gradient arrives.
class Relay {
 public:
  /// `buffers`: of the exchange that it serves. Vectors inside the node lie behind those of that one.
  Relay(const comm::Communicator& node, const Routes& routes, const ExchangePrecision& precision,
        std::shared_ptr<BatchBuffers> buffers);

  /// Sends the ids of Asked::relays to the owners; vectors lie from float offset `begin`. Collective in the node.
  void ask(const Exec& exec, const std::vector<embedding::AskedShard>& relays, const BatchSplit& split, Index begin);
  /// Sums come from the owners; what they make lies where partners' vectors leave.
  void return_sums(const Exec& exec);
  /// Partners' gradients, which have come, go to the owners.
  void send_gradients(const Exec& exec);

  Exchange& inside() { return inside_; }

 private:
  /// Vectors of one feature of one partner's samples.
  struct Run {
    const embedding::Bags* bags;
    Index sums_at;      // where they leave
    Index inside_at;    // float offset of the first one inside
    Index inside_step;  // from one to the next, with ids or without
    Index dim;
  };
  void copy_bags(const Exec& exec, const std::vector<embedding::AskedShard>& relays, const BatchSplit& split);
  void find_runs(const std::vector<embedding::AskedShard>& relays);
  void copy_vectors(const Exec& exec, float* data, bool gradients);
  template <class Visit>  // visit(outside, inside): float offsets
  static void each_vector(const Run& run, Index outside, Index stride, const Visit& visit);

  const Routes& routes_;
  std::shared_ptr<BatchBuffers> buffers_;
  Exchange inside_;
  std::vector<Index> samples_;  // of each partner
  jagged::KeyedJaggedTensor sparse_;
  std::vector<Run> runs_;
  DeviceVectors device_;
};

}  // namespace tesserec::sharding
