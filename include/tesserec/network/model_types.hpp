// SPDX-License-Identifier: Apache-2.0
/// Registry of model types by the name that model.type takes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/layers/layer_types.hpp>
#include <tesserec/network/settings.hpp>

namespace tesserec::network {

/// Error about a setting that a model cannot take. `key` is "model.KEY", the key of another block, or "layer.NAME" for
/// a layer. `text` says what the value is and what would fit.
struct SettingError : Error {
  /// Makes the error about key `key_` of `block`. `text_` follows the key in the message.
  SettingError(const std::string& key_, const std::string& text_, const std::string& block = "model")
      : Error(block + "." + key_ + text_), key(block + "." + key_), text(text_) {}
  std::string key, text;
};

/// Model type: a rule that makes a list of layers from settings. The last layer's output is the logit.
struct ModelType {
  std::string name;
  std::string text;                    ///< one sentence for people
  std::vector<std::string> keys = {};  ///< keys of [model] that the type reads besides type, embedding_dim and the loss
  /// Rule that makes the layers. Throws SettingError. Only layers_of() calls it, after checking bottom and top.
  std::function<std::vector<layers::LayerSettings>(const Settings&)> layers;
  std::vector<OwnKey> own = {};  ///< keys that the type adds to [model], none of them named loss...
};

/// Returns the built-in types, dlrm first, then the added ones in the order of their addition.
const std::vector<ModelType>& model_types();
/// Adds a user-defined model. Call it before any deck is read. Throws Error if the name or the name of an own key is
/// taken, or if an own key begins with loss.
void add_model_type(ModelType type);
/// Returns the type of this name. Throws Error listing the known models if there is none.
const ModelType& model_type(const std::string& name);
/// Returns the layers of model `settings.type`. Without dense features it drops the input "dense", and layers that read
/// nothing else, from all types except network. Throws SettingError.
std::vector<layers::LayerSettings> layers_of(const Settings& settings, bool dense_features = true);

}  // namespace tesserec::network
