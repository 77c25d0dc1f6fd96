// SPDX-License-Identifier: Apache-2.0
/// The vectors that tables bring to a network.
#pragma once

#include <string>
#include <vector>

#include <tesserec/embedding/settings.hpp>

namespace tesserec::network {

/// A feature whose vectors a network reads; only one that reads features apart needs their names.
struct EmbeddedFeature {
  std::string name;
  Index dim = 0;
  /// The feature that layers read instead, which a matrix, or two halves of this name, make; "" = this vector itself.
  std::string makes = {};
  Index projection = 0;                                             ///< columns of that matrix's product; 0 = no matrix
  embedding::QrOperation operation = embedding::QrOperation::mult;  ///< of two halves
  double ids = 1;                                                   ///< of a sample, on average
};
/// Features that are pooled and those that are not, each in the order of tables and features.
struct EmbeddedFeatures {
  std::vector<EmbeddedFeature> pooled;
  std::vector<EmbeddedFeature> unpooled = {};
};

/// Names what they give, in the order of the tables and their features; one that several tables look up is
/// FEATURE@TABLE. What makes another vector, as a half and what is projected do, is FEATURE@TABLE too, and names that.
EmbeddedFeatures embedded_features(const std::vector<embedding::EmbeddingBagConfig>& tables);

}  // namespace tesserec::network
