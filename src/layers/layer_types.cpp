// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "makers.hpp"
#include <tesserec/core/registry.hpp>
#include <tesserec/layers/layer_types.hpp>

namespace tesserec::layers {
namespace {

Registry<LayerType>& layer_registry() {
  static Registry<LayerType> types(
      "layer type",
      {
          {"mlp", "linear layers, each with an activation.", {"widths", "activations", "bias"}, make_mlp},
          {"dot", "the first vector, followed by the inner products of all pairs (DLRM).", {"itself"}, make_dot},
          {"cat", "concatenation of its inputs.", {}, make_cat},
          {"cross", "cross network of DCN v2.", {"layers", "rank"}, make_cross},
          {"fm", "second-order term of a factorization machine, one number.", {}, make_fm},
          {"vector_cross", "cross network of the first DCN.", {"layers"}, make_vector_cross},
          {"mixture_cross",
           "cross network of DCN v2 with a mixture of experts.",
           {"layers", "rank", "experts"},
           make_mixture_cross},
          {"product",
           "product of a matrix [numbers / dim, dim] and a matrix [dim, numbers / dim].",
           {"dim"},
           make_product},
          {"score", "inner product of two vectors.", {}, make_score},
          {"sum", "sum of its inputs.", {}, make_sum},
          {"multiply", "elementwise product of its two inputs.", {}, make_multiply},
          {"mixture",
           "sum of the inputs behind the first, each times its share: the softmax of the first input, the gate, which "
           "has one number for each of them (MMoE, PLE).",
           {},
           make_mixture},
          {"joint",
           "logit of all of its inputs' events: its sigmoid is the product of the sigmoids of its inputs (ESMM).",
           {},
           make_joint},
          {"gated",
           "first half of its input times the sigmoid of the second half; for a sequence, vector by vector.",
           {},
           make_gated,
           true},
          {"layer_norm",
           "normalization to mean 0 and variance 1, then a weight and a bias for each number.",
           {},
           make_layer_norm},
          {"dropout",
           "in training, sets random numbers to 0 and divides the others by 1 - rate.",
           {"rate"},
           make_dropout},
          {"attention",
           "weighted sum of a sequence's vectors; an MLP computes each weight from the vector and the first input "
           "(DIN).",
           {"widths", "activations", "softmax"},
           make_attention,
           true},
          {"weighted_sum",
           "weighted sum of a sequence's vectors; weights belong to positions, or to ids as a sequence of one column.",
           {"positions"},
           make_weighted_sum,
           true},
      },
      {"name", "type", "inputs"});
  return types;
}

}  // namespace

const std::vector<LayerType>& layer_types() { return layer_registry().all(); }
void add_layer_type(LayerType type) { layer_registry().add(std::move(type)); }
const LayerType& layer_type(const std::string& name) { return layer_registry().at(name); }

std::unique_ptr<Layer> make_layer(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  const LayerType& type = layer_type(settings.type);
  const auto takes = [](const LayerType& other) { return other.sequences; };
  for (const InputShape& input : inputs)
    if (input.sequence && !type.sequences) {
      std::vector<LayerType> fit;
      std::copy_if(layer_types().begin(), layer_types().end(), std::back_inserter(fit), takes);
      fail(input.name(), " is a sequence, one vector an id, which ", settings.type,
           " does not take; use a layer of type ", join(fit, ", ", &LayerType::name));
    }
  return type.make(layer_registry().completed(type, settings), inputs);
}

}  // namespace tesserec::layers
