// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models.hpp"
#include <tesserec/core/registry.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::network {
namespace {

std::vector<layers::LayerSettings> network(const Settings& s) { return s.layers; }

Registry<ModelType>& model_registry() {
  static Registry<ModelType> types(
      "model",
      {
          {"dlrm",
           "bottom MLP, embedding bags, interaction, top MLP (arXiv 1906.00091).",
           {"bottom", "top", "interaction", "itself", "activation"},
           dlrm},
          {"dlrm_projection",
           "DLRM whose interaction multiplies two matrices, both projected from all vectors.",
           {"bottom", "branch1", "branch2", "top", "activation"},
           dlrm_projection},
          {"dlrm_dcn",
           "DLRM whose interaction is a cross network (DCN v2, arXiv 2008.13535), as in MLPerf.",
           {"bottom", "top", "cross", "cross_layers", "cross_rank", "cross_experts", "activation"},
           dlrm_dcn},
          {"deepfm",
           "bottom MLP, embedding bags, an MLP and a factorization machine over both, top MLP (arXiv 1703.04247).",
           {"bottom", "deep", "top", "activation"},
           deepfm},
          {"wide_deep",
           "sum of a linear model and an MLP (arXiv 1606.07792).",
           {"wide", "deep", "activation"},
           wide_deep},
          {"two_tower",
           "inner product of a query's MLP and an item's MLP.",
           {"query", "item", "towers", "activation"},
           two_tower},
          {"din",
           "attention over a user's history by the offered item, then an MLP over this and all other features (arXiv "
           "1706.06978).",
           {"item", "history", "attention", "attention_softmax", "top", "activation"},
           din},
          {"network",
           "layers of [[model.layer]], in order; the loss takes the output of the last one.",
           {"layer"},
           network},
      },
      {"type", "tasks", "task_weights", "embedding_dim", "table_format", "qr_collisions", "qr_threshold",
       "qr_operation", "md_temperature", "md_threshold", "md_round_dims", "precision", "exchange_forward",
       "exchange_backward"});
  return types;
}

// Removes an input from all layers, and then the layers that have no other input.
void leave_out(const std::string& input, std::vector<layers::LayerSettings>& layers) {
  std::vector<std::string> removed{input};
  std::erase_if(layers, [&](layers::LayerSettings& layer) {
    const bool had_inputs = !layer.inputs.empty();
    std::erase_if(layer.inputs, [&](const std::string& name) {
      return std::find(removed.begin(), removed.end(), name) != removed.end();
    });
    const bool is_idle = had_inputs && layer.inputs.empty();
    if (is_idle) removed.push_back(layer.name);
    return is_idle;
  });
}

}  // namespace

layers::LayerSettings hidden(const Settings& s, std::string name, std::string input, std::vector<Index> widths) {
  return {.name = std::move(name),
          .type = "mlp",
          .inputs = {std::move(input)},
          .widths = std::move(widths),
          .activations = {s.activation}};
}

layers::LayerSettings mlp(const Settings& s, std::string name, std::string input, std::vector<Index> widths) {
  layers::LayerSettings layer = hidden(s, std::move(name), std::move(input), std::move(widths));
  layer.activations.assign(layer.widths.size(), s.activation);
  if (!layer.activations.empty()) layer.activations.back() = layers::Activation::none;
  return layer;
}

const std::vector<ModelType>& model_types() { return model_registry().all(); }
void add_model_type(ModelType type) {
  for (const OwnKey& key : type.own)
    if (key.name.starts_with("loss"))
      fail(model_registry().owner(type.name), ": the key \"", key.name,
           "\" begins with \"loss\", which is reserved for losses; rename it");
  model_registry().add(std::move(type));
}
const ModelType& model_type(const std::string& name) { return model_registry().at(name); }

std::vector<layers::LayerSettings> layers_of(const Settings& s, bool dense_features) {
  const ModelType& type = model_type(s.type);
  const auto reads = [&](const char* key) {
    return std::find(type.keys.begin(), type.keys.end(), key) != type.keys.end();
  };
  if (reads("bottom") && s.bottom.empty()) throw SettingError("bottom", " is empty; give it at least one layer");
  if (reads("top") && (s.top.empty() || s.top.back() != s.labels()))
    throw SettingError("top", concat(" is ", join(s.top, "-"), ": its last width must be ", s.labels(),
                                     s.labels() > 1 ? ", one output for each of model.tasks" : ""));
  if (reads("layer") && s.layers.empty())
    throw SettingError("layer", " is missing; list the network's layers in [[model.layer]]");
  std::vector<layers::LayerSettings> layers = type.layers(model_registry().completed(type, s));
  if (!dense_features && !reads("layer")) leave_out("dense", layers);
  return layers;
}

}  // namespace tesserec::network
