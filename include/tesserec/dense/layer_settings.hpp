// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/dense/activation.hpp>

namespace tesserec::dense {

/// A layer as a network lists it. `inputs` name layers before it, "dense" (the dense features),
/// "pooled" (all pooled vectors, in the order of tables and features), "pooled.FEATURE", where * and ? match names, or
/// "rest": the pooled vectors that no layer before reads by name, or apart from others.
struct LayerSettings {
  std::string name = {};
  std::string type = {};
  std::vector<std::string> inputs = {};
  std::vector<Index> widths = {};  ///< mlp: neurons of each of its linear layers
  /// mlp: of each linear layer; one stands for all; none given: relu, and nothing behind the last.
  std::vector<Activation> activations = {};
  bool bias = true;     ///< mlp
  bool itself = false;  ///< dot: also each vector with itself
  Index layers = 0;     ///< cross, vector_cross, mixture_cross: how many
  Index rank = 0;       ///< cross: of its matrices; 0 = full; mixture_cross
  Index experts = 1;    ///< mixture_cross
  Index dim = 0;        ///< product: columns of the first matrix, rows of the second
  double rate = 0.0;    ///< dropout: the share of numbers that are 0

  bool operator==(const LayerSettings&) const = default;
};

}  // namespace tesserec::dense
