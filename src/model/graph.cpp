// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/dense/instruction_set.hpp>

namespace tesserec::model {

Graph::Graph(const std::vector<dense::LayerSettings>& layers, Index dense_features, std::vector<PooledFeature> pooled)
    : dense_features_(dense_features), pooled_(std::move(pooled)) {
  for (const PooledFeature& feature : pooled_) pooled_width_ += feature.dim;
  for (const dense::LayerSettings& layer : layers) add(layer);
  if (nodes_.empty()) fail("a network has at least one layer");
  if (const LayerInfo& last = layers_.back(); last.width != 1)
    fail("layer ", last.settings.name, ": it is the last and must give one number, the logit, but gives ", last.width);
  plan_gradients();
}

Graph::Input Graph::find(const dense::LayerSettings& layer, const std::string& input, dense::InputShape& shape) const {
  if (input == "dense") {
    if (dense_features_ < 1) fail("layer ", layer.name, " reads dense, but the data has no dense features");
    shape.vectors = {dense_features_};
    return {From::dense, 0, {0, dense_features_}};
  }
  if (input == "pooled") {
    for (const PooledFeature& feature : pooled_) shape.vectors.push_back(feature.dim);
    return {From::pooled, 0, {0, pooled_width_}};
  }
  Range columns;
  for (const PooledFeature& feature : pooled_) {
    columns = {columns.end, columns.end + feature.dim};
    if (input != "pooled." + feature.name) continue;
    shape.vectors = {feature.dim};
    return {From::pooled, 0, columns};
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (layers_[n].settings.name == input) {
      shape.vectors = {layers_[n].width};
      return {From::layer, n, {0, layers_[n].width}};
    }
  std::vector<std::string> known{"dense", "pooled"};
  for (const PooledFeature& feature : pooled_)
    if (!feature.name.empty()) known.push_back("pooled." + feature.name);
  for (const LayerInfo& other : layers_) known.push_back(other.settings.name);
  fail("layer ", layer.name, " reads \"", input, "\", which no layer before it is called; there are ", join(known));
}

void Graph::add(const dense::LayerSettings& settings) {
  if (settings.name.empty()) fail("layer ", nodes_.size(), " has no name");
  if (settings.name == "dense" || settings.name.starts_with("pooled"))
    fail("layer ", settings.name, ": this name stands for an input; give another");
  for (const LayerInfo& other : layers_)
    if (other.settings.name == settings.name) fail("layer ", settings.name, ": two layers have this name");
  Node node;
  LayerInfo info;
  info.settings = settings;
  info.inputs.resize(settings.inputs.size());
  for (std::size_t i = 0; i < settings.inputs.size(); ++i)
    node.inputs.push_back(find(settings, settings.inputs[i], info.inputs[i]));
  node.layer = make_layer(settings, info.inputs);
  info.width = node.layer->width();
  info.shape = node.layer->describe();
  node.parameters = size_;
  node.packed = packed_size_;
  for (dense::Parameter tensor : node.layer->parameters()) {
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
  std::vector<bool> wants(nodes_.size()), read(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    wants[n] = nodes_[n].layer->size() > 0;
    for (const Input& input : nodes_[n].inputs) {
      if (input.from == From::layer) read[input.layer] = true;
      if (input.from == From::pooled || (input.from == From::layer && wants[input.layer])) wants[n] = true;
    }
  }
  for (std::size_t n = 0; n + 1 < nodes_.size(); ++n)
    if (!read[n]) fail("layer ", layers_[n].settings.name, " is read by no layer; the last one alone gives the logit");

  std::vector<bool> written(nodes_.size());
  std::vector<bool> columns(pooled_width_);  // written
  for (std::size_t n = nodes_.size(); n-- > 0;)
    for (Input& input : nodes_[n].inputs) {
      if (input.from == From::dense || (input.from == From::layer && !wants[input.layer])) continue;
      layers_[n].wants_input_gradient = true;
      if (input.from == From::layer) {
        input.gradient = written[input.layer] ? Gradient::add : Gradient::write;
        written[input.layer] = true;
        continue;
      }
      const auto begin = columns.begin() + input.columns.begin, end = columns.begin() + input.columns.end;
      input.gradient = std::find(begin, end, true) == end ? Gradient::write : Gradient::add;
      Index at = 0;
      for (const PooledFeature& feature : pooled_) {
        const Range own{at, at + feature.dim};
        at = own.end;
        if (own.begin < input.columns.begin || own.end > input.columns.end) continue;
        if (input.gradient == Gradient::add && !columns[own.begin]) cleared_.push_back(own);
      }
      std::fill(begin, end, true);
    }
  Index at = 0;
  for (const PooledFeature& feature : pooled_) {
    if (!columns[at])
      fail("no layer reads the pooled vector ", feature.name.empty() ? "at column " + std::to_string(at) : feature.name,
           "; let one read \"pooled\", or take its table out");
    at += feature.dim;
  }
}

void Graph::share_weights(const comm::Node& node) {
  // The panels' width is that of the instruction set.
  const bool alike = node.ranks().broadcast(dense::instruction_set(), 0) == dense::instruction_set();
  if (node.ranks().size() == 1 || node.ranks().min(alike ? 1 : 0) == 0) return;
  memory_ = comm::NodeMemory(node.ranks(), packed_size_);
  if (!memory_) return;
  node_ = &node;
  packed_ = Vector<float>(memory_.data(), packed_size_);
}

void Graph::pack(const Exec& exec, const float* parameters, bool backward) {
  if (packed_.extent(0) == 0) packed_ = make_vector<float>(exec, "tesserec::model::packed_weights", packed_size_);
  // What this rank has moved.
  const Range part = node_ != nullptr ? node_->share(size_) : Range{0, size_};
  if (node_ != nullptr) node_->ranks().barrier();  // nobody reads the last ones any more
  for (const Node& node : nodes_)
    node.layer->pack(exec, parameters + node.parameters, backward, packed_.data() + node.packed,
                     {part.begin - node.parameters, part.end - node.parameters});
  if (node_ != nullptr) node_->ranks().barrier();
}

}  // namespace tesserec::model
