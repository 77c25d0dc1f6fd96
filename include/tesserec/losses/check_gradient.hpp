// SPDX-License-Identifier: Apache-2.0
/// A test of losses of one's own.
#pragma once

#include <vector>

#include <tesserec/core/check_slopes.hpp>
#include <tesserec/losses/loss_types.hpp>

namespace tesserec::losses {

/// Compares a loss of `width` numbers a sample, with weights; `labels` are dealt to the samples in turn.
CheckedGradient check_gradient(const LossFunction& loss, Index width, const std::vector<float>& labels = {0.0f, 1.0f},
                               const GradientCheck& check = {});

}  // namespace tesserec::losses
