// SPDX-License-Identifier: Apache-2.0
/// The kinds of layers there are, by name.
#pragma once

#include <functional>

#include <tesserec/layers/layer.hpp>
#include <tesserec/layers/layer_settings.hpp>

namespace tesserec::layers {

/// A kind of layer.
struct LayerType {
  std::string name;
  std::string text;                    ///< one sentence
  std::vector<std::string> keys = {};  ///< what it reads of LayerSettings besides name, type and inputs
  /// Error, without the layer's name: inputs or widths that do not fit.
  std::function<std::unique_ptr<Layer>(const LayerSettings&, const std::vector<InputShape>&)> make;
  bool sequences = false;        ///< takes them; other types never see one
  std::vector<OwnKey> own = {};  ///< keys that it brings to [[model.layer]], read as settings.own<Index>("experts")
};

/// Lists the types of Tesserec, and those that were added, in this order.
const std::vector<LayerType>& layer_types();
/// Adds a kind of one's own, before any network is made or deck is read. Error: the name or an own key's is taken.
void add_layer_type(LayerType type);
/// Error that lists what there is.
const LayerType& layer_type(const std::string& name);
/// Makes a layer; own keys without a value have their presets. Error, without the layer's name, that says what would
/// fit.
std::unique_ptr<Layer> make_layer(const LayerSettings& settings, const std::vector<InputShape>& inputs);

}  // namespace tesserec::layers
