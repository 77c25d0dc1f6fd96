// SPDX-License-Identifier: Apache-2.0
// Keys of [[model.layer]].
#include <tesserec/network/model_types.hpp>
#include <tesserec/schema/model_rows.hpp>
#include <tesserec/schema/own_rows.hpp>

namespace tesserec::schema {
namespace {

using layers::LayerSettings;

Keys<LayerSettings> layer_keys() {
  const auto type_of = [](const LayerSettings& layer) -> auto& { return layers::layer_type(layer.type); };
  const auto of_type = [=](const Key<LayerSettings>& key) { return of_kind(key, "type", type_of); };
  Choices<std::string> types;
  for (const layers::LayerType& type : layers::layer_types()) types.emplace_back(type.name, type.name);
  Keys<LayerSettings> keys = {
      required(text("name", &LayerSettings::name, Text::name, "Name of the layer, by which later layers read it.")),
      required(choice("type", &LayerSettings::type, types,
                      join(layers::layer_types(), " ", [](const auto& type) { return type.name + ": " + type.text; }))),
      required(texts("inputs", &LayerSettings::inputs, Text::filled, {1},
                     "Inputs: names of earlier layers or features. dense: dense features. pooled: all pooled vectors, "
                     "in the order of tables and features. pooled.FEATURE: one pooled vector; * and ? match names. "
                     "rest: pooled vectors that no earlier layer reads by name or as part of a subset. "
                     "unpooled.FEATURE: one vector per id. FEATURE@TABLE: a feature of several tables.")),
      of_type(integers(
          "widths", &LayerSettings::widths, {1, 1 << 20}, {1}, "neurons",
          "mlp: widths of the linear layers. attention: hidden widths of its MLP, whose last layer has one neuron.")),
      of_type(some_of("activations", &LayerSettings::activations, layers::activations(),
                      "Activations behind linear layers: one for each, or one for all. mlp: default relu, none behind "
                      "the last. attention: default sigmoid, always none behind the last.")),
      of_type(boolean("bias", &LayerSettings::bias, "mlp: give the linear layers a bias.")),
      of_type(boolean("itself", &LayerSettings::itself, "dot: include the inner product of each vector with itself.")),
      of_type(integer("layers", &LayerSettings::layers, {0, 1024}, "layers",
                      "cross, vector_cross, mixture_cross: layers of the cross network.")),
      of_type(integer("rank", &LayerSettings::rank, {0, 1 << 20}, "columns",
                      "cross, mixture_cross: rank of each matrix; 0 in cross means full matrices.")),
      of_type(
          integer("experts", &LayerSettings::experts, {1, 1024}, "experts", "mixture_cross: experts of each layer.")),
      of_type(integer("dim", &LayerSettings::dim, {0, 1 << 20}, "columns", "product: columns of the first matrix.")),
      of_type(boolean("softmax", &LayerSettings::softmax,
                      "attention: apply a softmax to the scores, so that a sample's weights sum to 1.")),
      of_type(integer("positions", &LayerSettings::positions, {0, 1 << 20}, "ids",
                      "weighted_sum: learned weights, one per position, of which later ids share the last; 0 means "
                      "that the first input has the weights.")),
      of_type(
          number("rate", &LayerSettings::rate, {0.0, 1.0, true}, "", "dropout: probability that a number becomes 0.")),
  };
  for (Key<LayerSettings>& key : own_rows<LayerSettings>(
           layers::layer_types(), "type", type_of, [](auto& layer) -> auto& { return layer.own_values; }))
    keys.push_back(std::move(key));
  return keys;
}

const std::string layer_path = "model.layer";

}  // namespace

BlockInfo layer_block() {
  return {layer_path, "[[" + layer_path + "]]",
          "A layer of a model of type network. `tesserec check DECK --network` prints any model in this form.",
          infos(layer_keys())};
}

void read_layers(Lines& deck, network::Settings& model, const Value& root) {
  const Value* blocks = repeated(root, layer_path, "give at least one layer");
  if (blocks == nullptr) return;
  if (const auto& read = network::model_type(model.type).keys;
      std::find(read.begin(), read.end(), "layer") == read.end())
    fail(blocks->where, ": [[", layer_path, "]] does not apply to model.type = ", quoted(model.type),
         "; set it to \"network\"");
  const Keys<LayerSettings> keys = layer_keys();
  for (const Value& block : blocks->list) {
    const std::string path = path_of(layer_path, block, model.layers.size());
    read_keys(deck, keys, model.layers.emplace_back(), block, path);
  }
}

void write_layers(const network::Settings& model, std::string& out) {
  const Keys<LayerSettings> keys = layer_keys();
  for (const LayerSettings& layer : model.layers) out += "\n[[" + layer_path + "]]\n" + write_keys(keys, layer);
}

}  // namespace tesserec::schema
