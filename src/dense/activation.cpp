// SPDX-License-Identifier: Apache-2.0
#include <tesserec/dense/activation.hpp>

namespace tesserec::dense {

const std::vector<std::pair<std::string, Activation>>& activations() {
  static const std::vector<std::pair<std::string, Activation>> all = {
      {"none", Activation::none}, {"relu", Activation::relu}, {"sigmoid", Activation::sigmoid},
      {"tanh", Activation::tanh}, {"gelu", Activation::gelu}, {"swish", Activation::swish}};
  return all;
}

}  // namespace tesserec::dense
