// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/own_keys.hpp>
#include <tesserec/layers/activation.hpp>
#include <tesserec/products/precision.hpp>

namespace tesserec::layers {

/// Layer as a network lists it. `inputs` name earlier layers, "dense" (the dense features), "pooled" (all pooled
/// vectors, in order of tables and features), "pooled.FEATURE" (with * and ?), "rest" (pooled vectors that no earlier
/// layer reads by name, or apart from others) or "unpooled.FEATURE" (one vector an id).
struct LayerSettings {
  std::string name = {};
  std::string type = {};
  std::vector<std::string> inputs = {};
  std::vector<Index> widths = {};  ///< mlp: neurons of each of its linear layers; attention: but for the last, 1
  /// mlp: of each linear layer; one stands for all; none given: relu, and nothing behind the last. attention: sigmoid.
  std::vector<Activation> activations = {};
  bool bias = true;      ///< mlp
  bool itself = false;   ///< dot: also each vector with itself
  Index layers = 0;      ///< cross, vector_cross, mixture_cross: how many
  Index rank = 0;        ///< cross: of its matrices; 0 = full; mixture_cross
  Index experts = 1;     ///< mixture_cross
  Index dim = 0;         ///< product: columns of the first matrix, rows of the second
  double rate = 0.0;     ///< dropout: the share of numbers that are 0
  bool softmax = false;  ///< attention: a sample's weights add to 1
  Index positions = 0;   ///< weighted_sum: so many weights, the last one for all that follow
  products::Precision precision = products::Precision::fp32;  ///< mlp, cross, mixture_cross, attention; the model's
  OwnValues own_values = {};                                  ///< of the keys that the type registered

  /// Returns the value of one of these keys. Errors as those of OwnValues::get.
  template <class T>
  const T& own(const std::string& key) const {
    return own_values.get<T>(key);
  }
  bool operator==(const LayerSettings&) const = default;
};

}  // namespace tesserec::layers
