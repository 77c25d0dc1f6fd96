// SPDX-License-Identifier: Apache-2.0
/// One function a model, and the layers in front of its own.
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

/// An MLP with model.activation behind each of its linear layers.
layers::LayerSettings hidden(const Settings& settings, std::string name, std::string input, std::vector<Index> widths);
/// The same without an activation behind the last one.
layers::LayerSettings mlp(const Settings& settings, std::string name, std::string input, std::vector<Index> widths);

/// Layers that make one vector a feature of what its tables give: for each feature that is made, the layer that joins
/// quotient and remainder, the one that projects, or both. The last one, pooled.FEATURE, replaces the feature's vector.
std::vector<layers::LayerSettings> feature_layers(const std::vector<EmbeddedFeature>& pooled);

}  // namespace tesserec::network
