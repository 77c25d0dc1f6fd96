// SPDX-License-Identifier: Apache-2.0
/// Embedding vectors that a network reads.
#pragma once

#include <string>
#include <vector>

#include <tesserec/embedding/settings.hpp>

namespace tesserec::network {

/// Feature whose vectors a network reads. Only a network that reads features by name needs the names.
struct EmbeddedFeature {
  std::string name;
  Index dim = 0;
  /// Feature that layers read instead, made by a projection matrix or from two halves with this name; "" = the vector
  /// itself.
  std::string makes = {};
  Index projection = 0;                                             ///< columns of the projection; 0 = none
  embedding::QrOperation operation = embedding::QrOperation::mult;  ///< operation that combines two halves
  double ids = 1;                                                   ///< mean number of ids per sample
};
/// Pooled and un-pooled features, each in the order of tables and features.
struct EmbeddedFeatures {
  std::vector<EmbeddedFeature> pooled;
  std::vector<EmbeddedFeature> unpooled = {};
};

/// Lists the features of the tables in the order of tables and features. A feature that several tables look up is named
/// FEATURE@TABLE. So is a half or a vector that is projected, whose `makes` names the result.
EmbeddedFeatures embedded_features(const std::vector<embedding::EmbeddingBagConfig>& tables);

}  // namespace tesserec::network
