// SPDX-License-Identifier: Apache-2.0
/// Registry of layer types by name.
#pragma once

#include <functional>

#include <tesserec/layers/layer.hpp>
#include <tesserec/layers/layer_settings.hpp>

namespace tesserec::layers {

/// Layer type.
struct LayerType {
  std::string name;
  std::string text;                    ///< one sentence for people
  std::vector<std::string> keys = {};  ///< keys of LayerSettings that the type reads besides name, type and inputs
  /// Factory. Throws Error, without the layer's name, if inputs or settings do not fit.
  std::function<std::unique_ptr<Layer>(const LayerSettings&, const std::vector<InputShape>&)> make;
  bool sequences = false;        ///< support for sequences; make_layer() refuses them for other types
  std::vector<OwnKey> own = {};  ///< keys that the type adds to [[model.layer]], read as settings.own<Index>("experts")
};

/// Returns the built-in types, then the added ones in the order of their addition.
const std::vector<LayerType>& layer_types();
/// Adds a user-defined type. Call it before any network is made or deck is read. Throws Error if the name or the name
/// of an own key is taken.
void add_layer_type(LayerType type);
/// Returns the type of this name. Throws Error listing the known types if there is none.
const LayerType& layer_type(const std::string& name);
/// Makes a layer. Own keys without a value take their presets. Throws Error, without the layer's name, saying what
/// would fit.
std::unique_ptr<Layer> make_layer(const LayerSettings& settings, const std::vector<InputShape>& inputs);

}  // namespace tesserec::layers
