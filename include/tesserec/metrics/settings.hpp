// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec::metrics {

/// Weight of a group in GAUC: by its samples (Zhou et al., Deep Interest Network, KDD 2018), or like any other,
/// as in TorchRec.
enum class GroupWeight { samples, equal };

}  // namespace tesserec::metrics
