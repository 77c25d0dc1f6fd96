// SPDX-License-Identifier: Apache-2.0
/// A network's weights as a host's products read them.
#pragma once

#include "graph.hpp"

namespace tesserec::network {

class PackedWeights {
 public:
  /// `graph` outlives this.
  explicit PackedWeights(const Graph& graph) : graph_(graph) {}

  /// Packs into `shared` from now on.
  void share(const SharedPacking& shared);
  void pack(const Exec& exec, const float* parameters, bool backward);
  const float* data() const { return packed_.data(); }

 private:
  const Graph& graph_;
  Vector<float> packed_;
  SharedPacking shared_;
};

}  // namespace tesserec::network
