// SPDX-License-Identifier: Apache-2.0
/// The models there are, by the name that model.type takes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/layers/layer_types.hpp>
#include <tesserec/network/settings.hpp>

namespace tesserec::network {

/// A setting that a model cannot take: its key, "model.KEY" or one of another block, and then `text`, which says what
/// it is and what would fit. The key of a layer is "layer.NAME".
struct SettingError : Error {
  SettingError(const std::string& key_, const std::string& text_, const std::string& block = "model")
      : Error(block + "." + key_ + text_), key(block + "." + key_), text(text_) {}
  std::string key, text;
};

/// A model is a list of layers made of its settings. The last layer's output is the logit.
struct ModelType {
  std::string name;
  std::string text;                    ///< one sentence
  std::vector<std::string> keys = {};  ///< what it reads of [model] besides type, embedding_dim and the loss
  /// Throws SettingError. Called by layers_of alone, which has looked at bottom and top.
  std::function<std::vector<layers::LayerSettings>(const Settings&)> layers;
  std::vector<OwnKey> own = {};  ///< keys that it brings to [model], none of them named loss...
};

/// dlrm and those that were added, in this order.
const std::vector<ModelType>& model_types();
/// Adds a model of one's own, before any deck is read. Error: the name or an own key's is taken, or the latter begins
/// with loss.
void add_model_type(ModelType type);
/// Error that lists what there is.
const ModelType& model_type(const std::string& name);
/// Returns the layers of model `settings.type`. Throws SettingError. Without dense features, named models drop what
/// reads nothing else, also as inputs; a network stays as listed.
std::vector<layers::LayerSettings> layers_of(const Settings& settings, bool dense_features = true);

}  // namespace tesserec::network
