// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tesserec::losses {

/// Numbers that losses read.
struct LossSettings {
  double threshold = 0.0;                    ///< in (0, 0.5): clamps the probability to [t, 1 - t]; 0 = off
  std::vector<double> weights = {1.0, 1.0};  ///< wbce: of label 0 and label 1
  double temperature = 1.0;                  ///< in_batch_softmax: what scores are divided by
};

}  // namespace tesserec::losses
