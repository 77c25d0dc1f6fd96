// SPDX-License-Identifier: Apache-2.0
/// Layers in front of a model's own, which make one vector a feature of what its tables give.
#pragma once

#include <tesserec/dense/layer_settings.hpp>
#include <tesserec/model/network.hpp>

namespace tesserec::model {

/// For each feature that is made: the layer that joins quotient and remainder, the one that projects, or both. The last
/// one is called pooled.FEATURE and stands for the feature's vector from then on.
std::vector<dense::LayerSettings> feature_layers(const std::vector<EmbeddedFeature>& pooled);

}  // namespace tesserec::model
