// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernels.hpp>
#include <tesserec/core/own_keys.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/layers/layer_settings.hpp>
#include <tesserec/losses/loss_settings.hpp>

namespace tesserec::network {

/// Interaction of DLRM's vectors.
enum class Interaction { dot, cat };

/// DCN's cross network: matrices of low rank, full ones, vectors, or a mixture of experts of low rank.
enum class Cross { low_rank, full, vector, mixture };

/// A cross network.
struct CrossSettings {
  Cross type = Cross::low_rank;
  Index layers = 3;
  Index rank = 512;   ///< low_rank, mixture
  Index experts = 4;  ///< mixture
};

/// Smaller tables (smaller_tables.hpp), of those with more rows than a threshold.
struct SmallerTables {
  Index qr_collisions = 0;  ///< cut in two: ids of one row of the quotient table; 0 = none is cut
  Index qr_threshold = 200;
  embedding::QrOperation qr_operation = embedding::QrOperation::mult;
  double md_temperature = 0.0;  ///< in [0, 1]: the exponent by which dimensions fall with rows; 0 = all are alike
  Index md_threshold = 200;
  bool md_round_dims = false;  ///< to powers of two
};

/// Settings that model.type makes its layers of, and the loss.
struct Settings {
  std::string type = "dlrm";
  Index embedding_dim = 16;
  SmallerTables smaller = {};
  std::vector<Index> bottom = {512, 256, 64, 16};  ///< widths after the input; with dot the last is embedding_dim
  std::vector<Index> top = {512, 256, 1};          ///< widths after the interaction; the last is 1
  std::vector<Index> deep = {512, 256};            ///< widths of the MLP beside the factorization machine
  Interaction interaction = Interaction::dot;
  bool itself = false;  ///< dot: keep the diagonal of the interaction
  CrossSettings cross = {};
  std::vector<Index> branch1 = {512, 256};  ///< widths of the projections that are multiplied
  std::vector<Index> branch2 = {512, 256};
  std::vector<std::string> wide = {"dense"};  ///< what the linear part beside the MLP reads, as a layer's inputs
  std::vector<std::string> query = {"dense", "rest"};         ///< what the query's tower reads
  std::vector<std::string> item = {};                         ///< what the item's tower reads; din: the targets
  std::vector<Index> towers = {256, 64};                      ///< widths of both towers
  std::vector<std::string> history = {};                      ///< din: sequences, each for the item at its place
  std::vector<Index> attention = {80, 40};                    ///< widths of the MLP that weighs a history's vectors
  bool attention_softmax = false;                             ///< a sample's weights add to 1
  layers::Activation activation = layers::Activation::relu;   ///< behind hidden layers
  products::Precision precision = products::Precision::fp32;  ///< of what products of matrices multiply
  Kernels kernels = Kernels::automatic;  ///< of the dense half; portable multiplies in fp32 alone, tf32 is of cublaslt
                                         ///< alone (run.kernels)
  bool graphs = true;                    ///< kernels of a batch as one graph where they repeat (run.graphs)
  std::vector<layers::LayerSettings> layers = {};  ///< of a network
  std::string loss = "bce";                        ///< a losses::LossType
  losses::LossSettings loss_settings = {};
  OwnValues own_values = {};  ///< of the keys that the model registered

  /// Returns the value of one of these keys. Errors as those of OwnValues::get.
  template <class T>
  const T& own(const std::string& key) const {
    return own_values.get<T>(key);
  }
};

}  // namespace tesserec::network
