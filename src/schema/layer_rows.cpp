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
      required(text("name", &LayerSettings::name, Text::name, "Name of the layer.")),
      required(choice("type", &LayerSettings::type, types,
                      join(layers::layer_types(), " ", [](const auto& type) { return type.name + ": " + type.text; }))),
      required(texts("inputs", &LayerSettings::inputs, Text::filled, {1},
                     "Layers before it, dense (the dense features), pooled (all pooled vectors, in the order of tables "
                     "and features), pooled.FEATURE, where * and ? match names, rest (the pooled vectors that no layer "
                     "before reads by name, or apart from others), or unpooled.FEATURE (one vector an id). A feature "
                     "of several tables is FEATURE@TABLE.")),
      of_type(integers("widths", &LayerSettings::widths, {1, 1 << 20}, {1}, "neurons",
                       "mlp: of each linear layer; attention: of each but the last, which has 1.")),
      of_type(some_of("activations", &LayerSettings::activations, layers::activations(),
                      "mlp: behind each linear layer, one for each or one for all; none given: relu, and nothing "
                      "behind the last. attention: sigmoid, and nothing behind the last.")),
      of_type(boolean("bias", &LayerSettings::bias, "mlp: whether its linear layers have one.")),
      of_type(boolean("itself", &LayerSettings::itself, "dot: also each vector with itself.")),
      of_type(integer("layers", &LayerSettings::layers, {0, 1024}, "layers", "Of a cross network.")),
      of_type(integer("rank", &LayerSettings::rank, {0, 1 << 20}, "columns",
                      "cross, mixture_cross: of each matrix; cross: 0 = full.")),
      of_type(integer("experts", &LayerSettings::experts, {1, 1024}, "experts", "mixture_cross: of each layer.")),
      of_type(integer("dim", &LayerSettings::dim, {0, 1 << 20}, "columns", "product: of the first matrix.")),
      of_type(boolean("softmax", &LayerSettings::softmax, "attention: a sample's weights add to 1.")),
      of_type(integer("positions", &LayerSettings::positions, {0, 1 << 20}, "ids",
                      "weighted_sum: so many weights, the last one for all ids that follow.")),
      of_type(number("rate", &LayerSettings::rate, {0.0, 1.0, true}, "", "dropout: the share of numbers that are 0.")),
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
          "A layer of a model of type network. `tesserec check DECK --network` shows any model in this form.",
          infos(layer_keys())};
}

void read_layers(Lines& deck, network::Settings& model, const Value& root) {
  const Value* blocks = repeated(root, layer_path, "a network has at least one layer");
  if (blocks == nullptr) return;
  if (const auto& read = network::model_type(model.type).keys;
      std::find(read.begin(), read.end(), "layer") == read.end())
    fail(blocks->where, ": [[", layer_path, "]] is not for model.type = ", quoted(model.type),
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
