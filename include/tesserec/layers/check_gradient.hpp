// SPDX-License-Identifier: Apache-2.0
/// A test of layers of one's own: is what backward computes the slope of what forward computes?
#pragma once

#include <tesserec/core/check_slopes.hpp>
#include <tesserec/layers/layer.hpp>

namespace tesserec::layers {

/// Compares the gradients of a layer's inputs and parameters with central differences of forward, for inputs of these
/// shapes, whose rows lie apart as those of a network do. Also sees that backward overwrites its results, adds to the
/// parameters' gradient where it is told to, and leaves alone what nobody wants. Not for layers whose output is no
/// function with a slope. Error that names the number: its gradient, its slope; or more than a quarter of corners.
CheckedGradient check_gradient(const Exec& exec, const Layer& layer, const std::vector<InputShape>& inputs,
                               const GradientCheck& check = {});

}  // namespace tesserec::layers
