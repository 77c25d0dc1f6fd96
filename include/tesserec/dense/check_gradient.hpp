// SPDX-License-Identifier: Apache-2.0
/// A test of layers and losses of one's own: is what backward computes the slope of what forward computes?
#pragma once

#include <cstdint>
#include <vector>

#include <tesserec/dense/layer.hpp>
#include <tesserec/dense/loss_types.hpp>

namespace tesserec::dense {

/// The steps and bounds of a check.
struct GradientCheck {
  Index rows = 7;           ///< samples of the chunk
  double tolerance = 1e-2;  ///< of a slope, relative to the largest of its tensor
  std::uint64_t seed = 1;   ///< of inputs and parameters, which are N(0, 1)
};

/// The outcome of a check.
struct CheckedGradient {
  Index numbers = 0;      ///< gradients beside slopes
  Index corners = 0;      ///< left out, because slopes from both sides differ: max(0, x) at 0
  double difference = 0;  ///< the largest, relative as GradientCheck::tolerance
};

/// Compares the gradients of a layer's inputs and parameters with central differences of forward, for inputs of these
/// shapes, whose rows lie apart as those of a network do. Also sees that backward overwrites its results, adds to the
/// parameters' gradient where it is told to, and leaves alone what nobody wants. Not for layers whose output is no
/// function with a slope. Error that names the number: its gradient, its slope; or more than a quarter of corners.
CheckedGradient check_gradient(const Exec& exec, const Layer& layer, const std::vector<InputShape>& inputs,
                               const GradientCheck& check = {});

/// Compares a loss of `width` numbers a sample, with weights; `labels` are dealt to the samples in turn.
CheckedGradient check_gradient(const LossFunction& loss, Index width, const std::vector<float>& labels = {0.0f, 1.0f},
                               const GradientCheck& check = {});

}  // namespace tesserec::dense
