// SPDX-License-Identifier: Apache-2.0
#include "packed_weights.hpp"

namespace tesserec::network {

void PackedWeights::share(const SharedPacking& shared) {
  shared_ = shared;
  packed_ = Vector<float>(shared.memory, graph_.packed_size());
}

void PackedWeights::pack(const Exec& exec, const float* parameters, bool backward) {
  if (packed_.extent(0) == 0)
    packed_ = make_vector<float>(exec, "tesserec::network::packed_weights", graph_.packed_size());
  const bool is_shared = shared_.memory != nullptr;
  const Range range = is_shared ? shared_.range : Range{0, graph_.size()};
  if (is_shared) shared_.barrier();  // nobody reads the last ones any more
  for (const Graph::Node& node : graph_.nodes())
    node.layer->pack(exec, parameters + node.parameters, backward, packed_.data() + node.packed,
                     {range.begin - node.parameters, range.end - node.parameters});
  if (is_shared) shared_.barrier();
}

}  // namespace tesserec::network
