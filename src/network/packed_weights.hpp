// SPDX-License-Identifier: Apache-2.0
/// Packed weights of a network, as a host's products read them.
#pragma once

#include "graph.hpp"

namespace tesserec::network {

class PackedWeights {
 public:
  /// Takes the graph, which must outlive the weights.
  explicit PackedWeights(const Graph& graph) : graph_(graph) {}

  /// Makes pack() write to shared memory.
  void share(const SharedPacking& shared);
  /// Packs all layers' weights; `backward` includes the operands of backward products. Collective over the processes
  /// that share memory, each of which packs its share.
  void pack(const Exec& exec, const float* parameters, bool backward);
  const float* data() const { return packed_.data(); }

 private:
  const Graph& graph_;
  Vector<float> packed_;
  SharedPacking shared_;
};

}  // namespace tesserec::network
