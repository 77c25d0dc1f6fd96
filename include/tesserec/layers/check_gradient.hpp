// SPDX-License-Identifier: Apache-2.0
/// Gradient test for user-defined layers: compares backward() with the slope of forward().
#pragma once

#include <tesserec/core/check_slopes.hpp>
#include <tesserec/layers/layer.hpp>

namespace tesserec::layers {

/// Compares the gradients of a layer's inputs and parameters with central differences of forward(). `inputs` are the
/// shapes of random inputs, whose rows have a stride above their width, as in a network. Checks also that backward()
/// overwrites its results, writes no padding between the rows of the inputs' gradients, adds to the parameters'
/// gradient on request, and skips unwanted gradients. Does not apply to layers whose output is not differentiable.
/// Throws Error naming the element, its gradient and its slope if they differ, or if more than a quarter of the
/// elements sit at corners.
CheckedGradient check_gradient(const Exec& exec, const Layer& layer, const std::vector<InputShape>& inputs,
                               const GradientCheck& check = {});

}  // namespace tesserec::layers
