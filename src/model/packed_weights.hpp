// SPDX-License-Identifier: Apache-2.0
/// A network's weights as the layers' kernels read them.
#pragma once

#include "graph.hpp"
#include <tesserec/comm/node.hpp>

namespace tesserec::model {

class PackedWeights {
 public:
  /// `graph` outlives this.
  explicit PackedWeights(const Graph& graph) : graph_(graph) {}

  /// The ranks of `node`, where they can, have one copy of the packed weights and pack it together.
  void share(const comm::Node& node);
  void pack(const Exec& exec, const float* parameters, bool backward);
  const float* data() const { return packed_.data(); }

 private:
  const Graph& graph_;
  Vector<float> packed_;
  const comm::Node* node_ = nullptr;  // with whom; null: alone
  comm::NodeMemory memory_;
};

}  // namespace tesserec::model
