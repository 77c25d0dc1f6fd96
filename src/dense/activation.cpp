// SPDX-License-Identifier: Apache-2.0
#include "activation_formulas.hpp"

namespace tesserec::dense {
namespace {

template <class Formula>
TESSEREC_KERNEL void forward(Index n, const float* x, float* y) {
  for (Index i = 0; i < n; ++i) y[i] = Formula::of(x[i]);
}
template <class Formula>
TESSEREC_KERNEL void backward(Index n, const float* x, float* dy) {
  for (Index i = 0; i < n; ++i) dy[i] *= Formula::slope(x[i]);
}

}  // namespace

const std::vector<std::pair<std::string, Activation>>& activations() {
  static const std::vector<std::pair<std::string, Activation>> all = {
      {"none", Activation::none}, {"relu", Activation::relu}, {"sigmoid", Activation::sigmoid},
      {"tanh", Activation::tanh}, {"gelu", Activation::gelu}, {"swish", Activation::swish}};
  return all;
}

void activate(Activation activation, Index n, const float* x, float* y) {
  with_formula(activation, [&]<class Formula>() { forward<Formula>(n, x, y); });
}
void activate_back(Activation activation, Index n, const float* x, float* dy) {
  with_formula(activation, [&]<class Formula>() { backward<Formula>(n, x, dy); });
}

}  // namespace tesserec::dense
