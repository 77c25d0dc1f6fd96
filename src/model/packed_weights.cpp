// SPDX-License-Identifier: Apache-2.0
#include "packed_weights.hpp"

#include <tesserec/dense/instruction_set.hpp>

namespace tesserec::model {

void PackedWeights::share(const comm::Node& node) {
  // The panels' width is that of the instruction set.
  const bool alike = node.ranks().broadcast(dense::instruction_set(), 0) == dense::instruction_set();
  if (node.ranks().size() == 1 || node.ranks().min(alike ? 1 : 0) == 0) return;
  memory_ = comm::NodeMemory(node.ranks(), graph_.packed_size());
  if (!memory_) return;
  node_ = &node;
  packed_ = Vector<float>(memory_.data(), graph_.packed_size());
}

void PackedWeights::pack(const Exec& exec, const float* parameters, bool backward) {
  if (packed_.extent(0) == 0)
    packed_ = make_vector<float>(exec, "tesserec::model::packed_weights", graph_.packed_size());
  // Weights that this rank has moved.
  const Range part = node_ != nullptr ? node_->share(graph_.size()) : Range{0, graph_.size()};
  if (node_ != nullptr) node_->ranks().barrier();  // nobody reads the last ones any more
  for (const Graph::Node& node : graph_.nodes())
    node.layer->pack(exec, parameters + node.parameters, backward, packed_.data() + node.packed,
                     {part.begin - node.parameters, part.end - node.parameters});
  if (node_ != nullptr) node_->ranks().barrier();
}

}  // namespace tesserec::model
