// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/own_keys.hpp>

namespace tesserec::losses {

/// Settings that losses read.
struct LossSettings {
  double threshold = 0.0;                    ///< t in [0, 0.5), which clamps the probability to [t, 1 - t]; 0 = off
  std::vector<double> weights = {1.0, 1.0};  ///< weights of label 0 and label 1 in wbce
  double temperature = 1.0;                  ///< divisor of the scores of in_batch_softmax
  Index tasks = 1;                           ///< labels of a sample T
  std::vector<double> task_weights = {};     ///< weight of each label's loss [T]; empty = 1 each
  OwnValues own_values = {};                 ///< values of the keys that the loss registered

  /// Returns the value of a key that the loss registered, "loss_gamma". Throws the errors of OwnValues::get.
  template <class T>
  const T& own(const std::string& key) const {
    return own_values.get<T>(key);
  }
};

}  // namespace tesserec::losses
