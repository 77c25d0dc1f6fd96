// SPDX-License-Identifier: Apache-2.0
/// Layers of the built-in models, and layers that make a feature's vector.
#pragma once

#include <tesserec/network/model_types.hpp>
#include <tesserec/network/network.hpp>

namespace tesserec::network {

std::vector<layers::LayerSettings> dlrm(const Settings& settings);
std::vector<layers::LayerSettings> dlrm_projection(const Settings& settings);
std::vector<layers::LayerSettings> dlrm_dcn(const Settings& settings);
std::vector<layers::LayerSettings> deepfm(const Settings& settings);
std::vector<layers::LayerSettings> wide_deep(const Settings& settings);
std::vector<layers::LayerSettings> din(const Settings& settings);
std::vector<layers::LayerSettings> two_tower(const Settings& settings);

/// Returns an MLP layer with model.activation after each linear layer.
layers::LayerSettings hidden(const Settings& settings, std::string name, std::string input, std::vector<Index> widths);
/// Returns an MLP layer with model.activation after each linear layer except the last.
layers::LayerSettings mlp(const Settings& settings, std::string name, std::string input, std::vector<Index> widths);

/// Returns the layers that make one vector per feature from the vectors of its tables. A made feature has a layer that
/// joins quotient and remainder, a layer that projects, or both. The last layer, pooled.FEATURE, replaces its vector.
std::vector<layers::LayerSettings> feature_layers(const std::vector<EmbeddedFeature>& pooled);

}  // namespace tesserec::network
