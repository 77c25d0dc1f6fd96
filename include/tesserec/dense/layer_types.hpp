// SPDX-License-Identifier: Apache-2.0
/// The kinds of layers there are, by name.
#pragma once

#include <functional>

#include <tesserec/dense/layer.hpp>

namespace tesserec::dense {

/// A layer as a network lists it. `inputs` name layers before it, "dense", "pooled", or "pooled.FEATURE".
struct LayerSettings {
  std::string name = {};
  std::string type = {};
  std::vector<std::string> inputs = {};
  std::vector<Index> widths = {};  ///< mlp: neurons of each of its linear layers
  bool relu_at_end = false;        ///< mlp: behind the last one too
  bool itself = false;             ///< dot: also each vector with itself
  Index layers = 0;                ///< cross: how many
  Index rank = 0;                  ///< cross: of its matrices; 0 = full
};

/// A kind of layer.
struct LayerType {
  std::string name;
  /// Error, without the layer's name: inputs or widths that do not fit.
  std::function<std::unique_ptr<Layer>(const LayerSettings&, const std::vector<InputShape>&)> make;
};

/// mlp, dot, cat, cross, fm, vector_cross and those that were added, in this order.
const std::vector<LayerType>& layer_types();
/// A kind of one's own, before any network is made. Error: the name is taken.
void add_layer_type(LayerType type);
/// Error that names the layer, and what would fit.
std::unique_ptr<Layer> make_layer(const LayerSettings& settings, const std::vector<InputShape>& inputs);

}  // namespace tesserec::dense
