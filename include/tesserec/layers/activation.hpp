// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::layers {

/// Activation function f that a linear layer applies to its output.
///   relu max(0, x);  sigmoid 1 / (1 + e^-x);  tanh;  swish x sigmoid(x) (Ramachandran et al., arXiv 1710.05941)
///   gelu x (1 + erf(x / sqrt 2)) / 2 (Hendrycks, Gimpel, arXiv 1606.08415)
enum class Activation { none, relu, sigmoid, tanh, gelu, swish };

/// Returns all activations by the names that a deck uses, in the order of the enumeration.
inline const std::vector<std::pair<std::string, Activation>>& activations() {
  static const std::vector<std::pair<std::string, Activation>> all = {
      {"none", Activation::none}, {"relu", Activation::relu}, {"sigmoid", Activation::sigmoid},
      {"tanh", Activation::tanh}, {"gelu", Activation::gelu}, {"swish", Activation::swish}};
  return all;
}

/// Returns whether f is neither none nor relu. The derivative of a smooth activation needs the input x, and the matrix
/// kernels do not apply it.
inline bool is_smooth(Activation activation) {
  return activation != Activation::none && activation != Activation::relu;
}

}  // namespace tesserec::layers
