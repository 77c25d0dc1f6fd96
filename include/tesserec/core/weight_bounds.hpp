// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec {

/// Bounds of weights: a sample's weight lies in [0, max_sample_weight], an id's weight in [-max_id_weight,
/// max_id_weight].
inline constexpr float max_sample_weight = 1e6f, max_id_weight = 1e6f;

}  // namespace tesserec
