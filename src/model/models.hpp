// SPDX-License-Identifier: Apache-2.0
/// One function a model, each on a page of its own.
#pragma once

#include <tesserec/model/model_types.hpp>

namespace tesserec::model {

std::vector<dense::LayerSettings> dlrm(const Settings& settings);
std::vector<dense::LayerSettings> dlrm_projection(const Settings& settings);
std::vector<dense::LayerSettings> dlrm_dcn(const Settings& settings);
std::vector<dense::LayerSettings> deepfm(const Settings& settings);
std::vector<dense::LayerSettings> wide_deep(const Settings& settings);
std::vector<dense::LayerSettings> din(const Settings& settings);
std::vector<dense::LayerSettings> two_tower(const Settings& settings);

/// An MLP with model.activation behind each of its linear layers.
dense::LayerSettings hidden(const Settings& settings, std::string name, std::string input, std::vector<Index> widths);
/// The same but for the last one.
dense::LayerSettings mlp(const Settings& settings, std::string name, std::string input, std::vector<Index> widths);

}  // namespace tesserec::model
