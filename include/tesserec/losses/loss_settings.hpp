// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/own_keys.hpp>

namespace tesserec::losses {

/// Numbers that losses read.
struct LossSettings {
  double threshold = 0.0;                    ///< in (0, 0.5): clamps the probability to [t, 1 - t]; 0 = off
  std::vector<double> weights = {1.0, 1.0};  ///< wbce: of label 0 and label 1
  double temperature = 1.0;                  ///< in_batch_softmax: what scores are divided by
  OwnValues own_values = {};                 ///< of the keys that the loss registered

  /// Returns the value of one of these keys, "loss_gamma". Errors as those of OwnValues::get.
  template <class T>
  const T& own(const std::string& key) const {
    return own_values.get<T>(key);
  }
};

}  // namespace tesserec::losses
