// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/own_keys.hpp>
#include <tesserec/layers/activation.hpp>
#include <tesserec/products/precision.hpp>

namespace tesserec::layers {

/// Layer as a network lists it. Each of `inputs` is one of:
///   the name of an earlier layer;
///   "dense", the dense features;
///   "pooled", all pooled vectors, in order of tables and features; "pooled.FEATURE", with * and ?;
///   "rest", the pooled vectors that no earlier layer reads by name or apart;
///   "unpooled.FEATURE", one vector per id.
struct LayerSettings {
  std::string name = {};
  std::string type = {};
  std::vector<std::string> inputs = {};
  std::vector<Index> widths = {};  ///< neurons of each linear layer of mlp and attention, which adds a last layer of 1
  /// Activations of the linear layers of mlp and attention; one entry applies to all. The defaults are relu for mlp,
  /// with none after the last layer, and sigmoid for attention.
  std::vector<Activation> activations = {};
  bool bias = true;      ///< bias of mlp
  bool itself = false;   ///< diagonal of dot, the products of each vector with itself
  Index layers = 0;      ///< number of layers of cross, vector_cross and mixture_cross
  Index rank = 0;        ///< rank of the matrices of cross (0 = full) and mixture_cross
  Index experts = 1;     ///< number of experts of mixture_cross
  Index dim = 0;         ///< columns of product's first matrix, rows of its second
  double rate = 0.0;     ///< fraction of numbers that dropout sets to 0
  bool softmax = false;  ///< softmax of attention, whose weights then sum to 1 per sample
  Index positions = 0;   ///< number of weighted_sum's weights, the last of which serves all later positions
  products::Precision precision = products::Precision::fp32;  ///< the model's; for mlp, cross, mixture_cross, attention
  OwnValues own_values = {};                                  ///< values of the keys that the type registered

  /// Returns the value of a key that the type registered. Throws the errors of OwnValues::get.
  template <class T>
  const T& own(const std::string& key) const {
    return own_values.get<T>(key);
  }
  bool operator==(const LayerSettings&) const = default;
};

}  // namespace tesserec::layers
