// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include "layers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/dense/layer_types.hpp>

namespace tesserec::dense {
namespace {

std::vector<LayerType>& all_types() {
  static std::vector<LayerType> types = {
      {"mlp", make_mlp},     {"dot", make_dot}, {"cat", make_cat},
      {"cross", make_cross}, {"fm", make_fm},   {"vector_cross", make_vector_cross},
  };
  return types;
}

}  // namespace

const std::vector<LayerType>& layer_types() { return all_types(); }

void add_layer_type(LayerType type) {
  for (const LayerType& known : all_types())
    if (known.name == type.name) fail("there is a layer type ", type.name, " already");
  all_types().push_back(std::move(type));
}

std::unique_ptr<Layer> make_layer(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  assert(settings.inputs.size() == inputs.size());
  const auto& types = layer_types();
  const auto type = std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.name == settings.type; });
  if (type == types.end())
    fail("layer ", settings.name, ": there is no type \"", settings.type, "\"; there are ",
         join(types, ", ", &LayerType::name));
  try {
    return type->make(settings, inputs);
  } catch (const Error& error) {
    fail("layer ", settings.name, ": ", error.what());
  }
}

}  // namespace tesserec::dense
