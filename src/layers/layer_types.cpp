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
          {"mlp", "linear layers, each with its activation.", {"widths", "activations", "bias"}, make_mlp},
          {"dot", "the first vector, and the inner products of all pairs (DLRM's).", {"itself"}, make_dot},
          {"cat", "its inputs side by side.", {}, make_cat},
          {"cross", "DCN v2's cross network.", {"layers", "rank"}, make_cross},
          {"fm", "a factorization machine's second order: one number.", {}, make_fm},
          {"vector_cross", "the first DCN's cross network.", {"layers"}, make_vector_cross},
          {"mixture_cross", "DCN v2's cross network of experts.", {"layers", "rank", "experts"}, make_mixture_cross},
          {"product", "a matrix [numbers / dim, dim] times a matrix [dim, numbers / dim].", {"dim"}, make_product},
          {"score", "the inner product of two vectors.", {}, make_score},
          {"sum", "its inputs added.", {}, make_sum},
          {"multiply", "its two inputs multiplied, number by number.", {}, make_multiply},
          {"gated",
           "its first half times the sigmoid of its second, also of each vector of a sequence.",
           {},
           make_gated,
           true},
          {"layer_norm", "mean 0 and variance 1, then a weight and a bias for each number.", {}, make_layer_norm},
          {"dropout", "in training, some numbers are 0.", {"rate"}, make_dropout},
          {"attention",
           "the sum of a sequence's vectors, each times what an MLP says of it beside the first input (DIN's).",
           {"widths", "activations", "softmax"},
           make_attention,
           true},
          {"weighted_sum",
           "the sum of a sequence's vectors, each times a weight: its position's, or its id's from a sequence of one "
           "column.",
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
      fail(input.name(), " is a sequence, one vector an id, which ", settings.type, " does not take; ",
           join(fit, ", ", &LayerType::name), " do");
    }
  return type.make(layer_registry().completed(type, settings), inputs);
}

}  // namespace tesserec::layers
