// SPDX-License-Identifier: Apache-2.0
/// One function a model, each on a page of its own.
#pragma once

#include <tesserec/model/model_types.hpp>

namespace tesserec::model {

std::vector<dense::LayerSettings> dlrm(const Settings& settings);
std::vector<dense::LayerSettings> dlrm_dcn(const Settings& settings);
std::vector<dense::LayerSettings> deepfm(const Settings& settings);

}  // namespace tesserec::model
