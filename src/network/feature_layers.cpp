// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "models.hpp"

namespace tesserec::network {
namespace {

std::string type_of(embedding::QrOperation operation) {
  if (operation == embedding::QrOperation::add) return "sum";
  return operation == embedding::QrOperation::mult ? "multiply" : "cat";
}

}  // namespace

std::vector<layers::LayerSettings> feature_layers(const std::vector<EmbeddedFeature>& pooled) {
  std::map<std::string, std::vector<std::string>> inputs;  // made feature -> inputs of its layers
  for (const EmbeddedFeature& vector : pooled) inputs[vector.makes].push_back("pooled." + vector.name);
  inputs.erase("");
  std::vector<layers::LayerSettings> layers;
  for (const EmbeddedFeature& vector : pooled) {
    const auto found = inputs.find(vector.makes);
    if (found == inputs.end()) continue;
    const std::string name = "pooled." + vector.makes;
    layers::LayerSettings join{.name = name, .type = type_of(vector.operation), .inputs = found->second};
    inputs.erase(found);
    layers::LayerSettings project{.name = name,
                                  .type = "mlp",
                                  .inputs = join.inputs,
                                  .widths = {vector.projection},
                                  .activations = {layers::Activation::none},
                                  .bias = false};
    if (join.inputs.size() > 1) {
      if (vector.projection > 0) {
        join.name += "@whole";
        project.inputs = {join.name};
      }
      layers.push_back(std::move(join));
    }
    if (vector.projection > 0) layers.push_back(std::move(project));
  }
  return layers;
}

}  // namespace tesserec::network
