// SPDX-License-Identifier: Apache-2.0
/// Gradient test for user-defined losses.
#pragma once

#include <vector>

#include <tesserec/core/check_slopes.hpp>
#include <tesserec/losses/loss_types.hpp>

namespace tesserec::losses {

/// Compares the gradient of a loss of `width` numbers per sample with central differences, with sample weights. Sample
/// i has label `labels[i % labels.size()]`. Throws Error if the gradients differ or the loss refuses `width`.
CheckedGradient check_gradient(const LossFunction& loss, Index width, const std::vector<float>& labels = {0.0f, 1.0f},
                               const GradientCheck& check = {});

}  // namespace tesserec::losses
