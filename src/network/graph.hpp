// SPDX-License-Identifier: Apache-2.0
/// A network's layers, who reads whom, and where each has its parameters; the same for all workers.
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
  /// Place in which a layer finds an input.
  enum class From { dense, pooled, unpooled, layer };
  /// Treatment of the gradient of an input on the way back, when a value may have several readers.
  enum class Gradient { none, write, add };
  struct Input {
    From from = From::dense;
    std::size_t layer = 0;  // of From::layer; of From::unpooled, the feature
    Range columns;          // of the dense features or of the pooled vectors
    Gradient gradient = Gradient::none;
  };
  struct Node {
    std::unique_ptr<layers::Layer> layer;
    std::vector<Input> inputs;
    Index parameters = 0;  // first float in the flat vector
    Index packed = 0;      // and in the packed one
  };

  /// All layers take `precision`. Throws SettingError.
  Graph(const std::vector<layers::LayerSettings>& layers, products::Precision precision, Index dense_features,
        EmbeddedFeatures features);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// Describes the nodes' layers.
  const std::vector<LayerInfo>& layers() const { return layers_; }
  /// Lists the parts of the flat vector, "LAYER.TENSOR".
  const std::vector<layers::Parameter>& parameters() const { return parameters_; }
  Index size() const { return size_; }
  Index dense_features() const { return dense_features_; }
  Index pooled_width() const { return pooled_width_; }
  const std::vector<EmbeddedFeature>& unpooled() const { return unpooled_; }
  /// Columns of the pooled gradient that are cleared before the way back: nobody writes them first.
  const std::vector<Range>& cleared() const { return cleared_; }
  /// Floats of all layers' packed weights.
  Index packed_size() const { return packed_size_; }

 private:
  /// A feature's vector as layers read it: columns of the pooled vectors, or what a layer has made of some.
  struct FeatureVector {
    std::string name;
    Index dim = 0;
    Range columns;
    std::optional<std::size_t> layer;
  };

  /// The layers that make vectors of pooled ones, which they stand for from then on.
  void make_vectors();
  /// Appends what `input` of layer `reader` names: several inputs, where pooled vectors do not lie side by side.
  void find(const std::vector<layers::LayerSettings>& layers, std::size_t reader, const std::string& input, Node& node,
            LayerInfo& info) const;
  /// The same for pooled vectors; false: it names none.
  bool find_pooled(const std::string& input, Node& node, LayerInfo& info) const;
  bool find_unpooled(const std::string& input, Node& node, LayerInfo& info) const;
  /// [vector] whether `input` names it.
  std::vector<bool> named(const std::string& input) const;
  void add(const std::vector<layers::LayerSettings>& layers, std::size_t n);
  /// Decides who writes and who adds, from the last layer back.
  void plan_gradients();

  products::Precision precision_;
  Index dense_features_;
  std::vector<EmbeddedFeature> pooled_, unpooled_;
  std::vector<FeatureVector> vectors_;
  std::vector<bool> read_apart_;  // [vector] a layer reads it by its name, or without all others
  Index pooled_width_ = 0;
  std::vector<Node> nodes_;
  std::vector<LayerInfo> layers_;
  std::vector<layers::Parameter> parameters_;
  std::vector<Range> cleared_;
  Index size_ = 0;
  Index packed_size_ = 0;
};

}  // namespace tesserec::network
