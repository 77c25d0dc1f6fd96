// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <algorithm>
#include <functional>

#include <fnmatch.h>

#include "models.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/network/model_types.hpp>

namespace tesserec::network {
namespace {

template <class... Texts>
[[noreturn]] void refuse(const std::string& layer, const Texts&... texts) {
  throw SettingError("layer." + layer, concat(texts...));
}

std::string name_of(const std::string& feature, std::size_t n) {
  return feature.empty() ? "pooled vector " + std::to_string(n) : feature;
}

bool by_name(const std::string& input) { return input.starts_with("pooled."); }

}  // namespace

Graph::Graph(const std::vector<layers::LayerSettings>& layers, products::Precision precision, Index dense_features,
             EmbeddedFeatures features)
    : precision_(precision),
      dense_features_(dense_features),
      pooled_(std::move(features.pooled)),
      unpooled_(std::move(features.unpooled)) {
  for (const EmbeddedFeature& feature : pooled_) {
    vectors_.push_back({feature.name, feature.dim, {pooled_width_, pooled_width_ + feature.dim}, {}});
    pooled_width_ += feature.dim;
  }
  read_apart_.resize(vectors_.size());
  make_vectors();
  if (layers.empty()) throw SettingError("layer", " is empty; give the network at least one layer");
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const std::string& name = layers[n].name;
    if (name == "dense" || name == "rest" || name.starts_with("pooled") || name.starts_with("unpooled"))
      refuse(name, ": this name is reserved for an input; rename the layer");
    add(layers, n);
  }
  plan_gradients();
}

void Graph::make_vectors() {
  const std::vector<layers::LayerSettings> layers = feature_layers(pooled_);
  for (std::size_t n = 0; n < layers.size(); ++n) add(layers, n);
  std::vector<FeatureVector> vectors;
  for (std::size_t f = 0; f < pooled_.size(); ++f) {
    const std::string& makes = pooled_[f].makes;
    if (makes.empty()) vectors.push_back(vectors_[f]);
    const bool first = std::none_of(pooled_.begin(), pooled_.begin() + std::ptrdiff_t(f),
                                    [&](const EmbeddedFeature& other) { return other.makes == makes; });
    for (std::size_t n = 0; n < layers_.size() && first; ++n)
      if (layers_[n].settings.name == "pooled." + makes) vectors.push_back({makes, layers_[n].width, {}, n});
  }
  vectors_ = std::move(vectors);
  read_apart_.assign(vectors_.size(), false);
}

std::vector<bool> Graph::named(const std::string& input) const {
  std::vector<bool> names(vectors_.size(), input == "pooled");
  if (input == "rest") std::transform(read_apart_.begin(), read_apart_.end(), names.begin(), std::logical_not<>());
  if (!by_name(input)) return names;
  const std::string name = input.substr(input.find('.') + 1);
  for (std::size_t f = 0; f < names.size(); ++f) names[f] = vectors_[f].name == name;
  if (std::find(names.begin(), names.end(), true) != names.end()) return names;
  for (std::size_t f = 0; f < names.size(); ++f) names[f] = ::fnmatch(name.c_str(), vectors_[f].name.c_str(), 0) == 0;
  return names;
}

bool Graph::find_pooled(const std::string& input, Node& node, LayerInfo& info) const {
  const std::size_t inputs = node.inputs.size();
  const std::vector<bool> selected = named(input);
  bool extends = false;  // true if this vector can extend the input of the previous one
  for (std::size_t f = 0; f < vectors_.size(); ++f) {
    const FeatureVector& vector = vectors_[f];
    if (selected[f]) {
      if (vector.layer) {
        node.inputs.push_back({From::layer, *vector.layer, {0, vector.dim}});
        info.inputs.emplace_back();
      } else if (extends) {
        node.inputs.back().columns.end = vector.columns.end;
      } else {
        node.inputs.push_back({From::pooled, 0, vector.columns});
        info.inputs.emplace_back();
      }
      info.inputs.back().vectors.push_back(vector.dim);
      info.inputs.back().names.push_back(name_of(vector.name, f));
    }
    extends = selected[f] && !vector.layer;
  }
  return node.inputs.size() > inputs;
}

void Graph::find(const std::vector<layers::LayerSettings>& layers, std::size_t reader, const std::string& input,
                 Node& node, LayerInfo& info) const {
  const std::string& layer = layers[reader].name;
  if (input == "dense") {
    if (dense_features_ < 1) refuse(layer, " reads \"dense\", but the data have no dense features; remove this input");
    node.inputs.push_back({From::dense, 0, {0, dense_features_}});
    info.inputs.push_back({{dense_features_}, {input}});
    return;
  }
  if (find_pooled(input, node, info)) return;
  for (std::size_t f = 0; f < unpooled_.size(); ++f)
    if (input == "unpooled." + unpooled_[f].name) {
      node.inputs.push_back({From::unpooled, f, {0, unpooled_[f].dim}});
      info.inputs.push_back({{unpooled_[f].dim}, {input}, true, unpooled_[f].ids, input.substr(0, input.find('@'))});
      return;
    }
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (layers_[n].settings.name == input) {
      node.inputs.push_back({From::layer, n, {0, layers_[n].width}});
      info.inputs.push_back(layers_[n].sequence.value_or(layers::InputShape{{layers_[n].width}, {input}}));
      return;
    }
  for (std::size_t n = reader; n < layers.size(); ++n)
    if (layers[n].name == input)
      refuse(layer, " reads \"", input, n == reader ? "\", which is the layer itself" : "\", which comes after it",
             "; name a layer before it");
  if (input == "rest")
    refuse(layer,
           " reads \"rest\", but earlier layers read all pooled vectors; remove this input (in two_tower from "
           "model.query), or name fewer vectors before it (in wide_deep in model.wide)");
  std::vector<std::string> known{"dense", "pooled", "rest"};
  for (const FeatureVector& vector : vectors_)
    if (!vector.name.empty()) known.push_back("pooled." + vector.name);
  for (const EmbeddedFeature& feature : unpooled_) known.push_back("unpooled." + feature.name);
  for (const LayerInfo& other : layers_)
    if (!by_name(other.settings.name)) known.push_back(other.settings.name);
  refuse(layer, " reads \"", input, "\", but no earlier layer or input has this name; there are ", join(known));
}

void Graph::add(const std::vector<layers::LayerSettings>& layers, std::size_t n) {
  const layers::LayerSettings& settings = layers[n];
  if (settings.name.empty()) refuse(std::to_string(n), " has no name; give it one");
  for (const LayerInfo& other : layers_)
    if (other.settings.name == settings.name) refuse(settings.name, ": two layers have this name; rename one");
  Node node;
  LayerInfo info;
  info.settings = settings;
  info.settings.precision = precision_;
  std::vector<bool> read_apart = read_apart_;  // value for the next layer
  for (const std::string& input : settings.inputs) {
    find(layers, n, input, node, info);
    const std::vector<bool> names = named(input);
    if (by_name(input) || std::find(names.begin(), names.end(), false) != names.end())
      std::transform(names.begin(), names.end(), read_apart.begin(), read_apart.begin(), std::logical_or<>());
  }
  read_apart_ = std::move(read_apart);
  try {
    node.layer = make_layer(info.settings, info.inputs);
  } catch (const Error& error) {
    refuse(settings.name, ": ", error.what());
  }
  info.width = node.layer->width();
  if (node.layer->gives_sequence()) {
    info.sequence = *std::find_if(info.inputs.begin(), info.inputs.end(), std::mem_fn(&layers::InputShape::sequence));
    info.sequence->vectors = {info.width};
    info.sequence->names = {settings.name};
  }
  info.shape = node.layer->describe();
  node.parameters = size_;
  node.packed = packed_size_;
  for (layers::Parameter tensor : node.layer->parameters()) {
    info.parameters += tensor.rows * tensor.columns;
    tensor.name = settings.name + "." + tensor.name;
    tensor.offset += size_;
    parameters_.push_back(std::move(tensor));
  }
  size_ += node.layer->size();
  packed_size_ += node.layer->packed_size();
  nodes_.push_back(std::move(node));
  layers_.push_back(std::move(info));
}

void Graph::plan_gradients() {
  std::vector<bool> needs_gradient(nodes_.size()), read(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    needs_gradient[n] = nodes_[n].layer->size() > 0;
    for (const Input& input : nodes_[n].inputs) {
      if (input.from == From::layer) read[input.layer] = true;
      if (input.from == From::pooled || input.from == From::unpooled ||
          (input.from == From::layer && needs_gradient[input.layer]))
        needs_gradient[n] = true;
    }
  }
  const auto unread = [](const std::string& vector) {
    throw SettingError("layer", concat(": no layer reads the pooled vector ", vector,
                                       "; let a layer read \"pooled\", or remove its table"));
  };
  for (std::size_t n = 0; n + 1 < nodes_.size(); ++n) {
    if (read[n]) continue;
    for (const FeatureVector& vector : vectors_)
      if (vector.layer == n) unread(vector.name);
    refuse(layers_[n].settings.name,
           " is read by no layer, and the loss reads only the last one; read it or remove it");
  }

  std::vector<bool> written(nodes_.size()), sequences(unpooled_.size());
  std::vector<bool> columns(pooled_width_);  // true if a reader has written the column
  for (std::size_t n = nodes_.size(); n-- > 0;)
    for (Input& input : nodes_[n].inputs) {
      if (input.from == From::dense || (input.from == From::layer && !needs_gradient[input.layer])) continue;
      layers_[n].wants_input_gradient = true;
      if (input.from == From::layer || input.from == From::unpooled) {
        auto&& first = input.from == From::layer ? written[input.layer] : sequences[input.layer];
        input.gradient = first ? Gradient::add : Gradient::write;
        first = true;
        continue;
      }
      const auto begin = columns.begin() + input.columns.begin, end = columns.begin() + input.columns.end;
      input.gradient = std::find(begin, end, true) == end ? Gradient::write : Gradient::add;
      Index at = 0;
      for (const EmbeddedFeature& feature : pooled_) {
        const Range own{at, at + feature.dim};
        at = own.end;
        if (own.begin < input.columns.begin || own.end > input.columns.end) continue;
        if (input.gradient == Gradient::add && !columns[own.begin]) cleared_.push_back(own);
      }
      std::fill(begin, end, true);
    }
  for (std::size_t f = 0, at = 0; f < pooled_.size(); at += pooled_[f++].dim)
    if (!columns[at]) unread(name_of(pooled_[f].name, f));
  for (std::size_t f = 0; f < unpooled_.size(); ++f)
    if (!sequences[f])
      throw SettingError("layer", concat(": no layer reads \"unpooled.", unpooled_[f].name,
                                         "\"; let an attention or a weighted_sum layer read it, or pool the feature"));
}

}  // namespace tesserec::network
