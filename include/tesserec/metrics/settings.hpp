// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec::metrics {

/// Weight of a group in GAUC: its samples (Zhou et al., Deep Interest Network, KDD 2018), or 1, as in TorchRec.
enum class GroupWeight { samples, equal };

}  // namespace tesserec::metrics
