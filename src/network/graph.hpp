// SPDX-License-Identifier: Apache-2.0
/// Graph of a network's layers, with their inputs and parameters. All workers share it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/layers/layer_types.hpp>
#include <tesserec/network/network.hpp>

namespace tesserec::network {

class Graph {
 public:
  /// Source of a layer's input.
  enum class From { dense, pooled, unpooled, layer };
  /// Operation on an input's gradient in the backward pass, since several layers may read the same values.
  enum class Gradient { none, write, add };
  struct Input {
    From from = From::dense;
    std::size_t layer = 0;  // layer or, with From::unpooled, feature
    Range columns;          // columns of the source
    Gradient gradient = Gradient::none;
  };
  struct Node {
    std::unique_ptr<layers::Layer> layer;
    std::vector<Input> inputs;
    Index parameters = 0;  // first float in the flat vector
    Index packed = 0;      // first float in the packed weights
  };

  /// Makes the layers, all with `precision`. Throws SettingError if a layer, its inputs or its name are invalid, or if
  /// no layer reads a vector.
  Graph(const std::vector<layers::LayerSettings>& layers, products::Precision precision, Index dense_features,
        EmbeddedFeatures features);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// Returns the descriptions of the nodes' layers.
  const std::vector<LayerInfo>& layers() const { return layers_; }
  /// Lists the tensors of the flat vector, named "LAYER.TENSOR".
  const std::vector<layers::Parameter>& parameters() const { return parameters_; }
  Index size() const { return size_; }
  Index dense_features() const { return dense_features_; }
  Index pooled_width() const { return pooled_width_; }
  const std::vector<EmbeddedFeature>& unpooled() const { return unpooled_; }
  /// Returns the columns of the pooled gradient to clear before the backward pass, because no reader writes them first.
  const std::vector<Range>& cleared() const { return cleared_; }
  /// Returns the floats of all layers' packed weights.
  Index packed_size() const { return packed_size_; }

 private:
  /// Vector of a feature as layers read it: columns of the pooled vectors, or the output of a layer over some of them.
  struct FeatureVector {
    std::string name;
    Index dim = 0;
    Range columns;
    std::optional<std::size_t> layer;
  };

  /// Adds the layers that join or project pooled vectors. Their outputs replace these vectors for other layers.
  void make_vectors();
  /// Appends the inputs that `input` of layer `reader` names: several, if its pooled vectors are not contiguous. Throws
  /// SettingError if it names none.
  void find(const std::vector<layers::LayerSettings>& layers, std::size_t reader, const std::string& input, Node& node,
            LayerInfo& info) const;
  /// Appends the pooled vectors that `input` names, and returns whether it names any.
  bool find_pooled(const std::string& input, Node& node, LayerInfo& info) const;
  /// Returns for each vector whether `input` names it.
  std::vector<bool> named(const std::string& input) const;
  void add(const std::vector<layers::LayerSettings>& layers, std::size_t n);
  /// Decides for each gradient which reader writes it and which readers add to it, from the last layer back.
  void plan_gradients();

  products::Precision precision_;
  Index dense_features_;
  std::vector<EmbeddedFeature> pooled_, unpooled_;
  std::vector<FeatureVector> vectors_;
  std::vector<bool> read_apart_;  // [vector] true if a layer reads it by name, or without all others
  Index pooled_width_ = 0;
  std::vector<Node> nodes_;
  std::vector<LayerInfo> layers_;
  std::vector<layers::Parameter> parameters_;
  std::vector<Range> cleared_;
  Index size_ = 0;
  Index packed_size_ = 0;
};

}  // namespace tesserec::network
