// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernels.hpp>
#include <tesserec/core/number_type.hpp>
#include <tesserec/core/own_keys.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/layers/layer_settings.hpp>
#include <tesserec/losses/loss_settings.hpp>

namespace tesserec::network {

/// Interaction of DLRM's vectors: inner products of all pairs, or concatenation.
enum class Interaction { dot, cat };

/// Weights of DCN's cross network: low-rank matrices, full matrices, vectors, or a mixture of low-rank experts.
enum class Cross { low_rank, full, vector, mixture };

/// Settings of a cross network.
struct CrossSettings {
  Cross type = Cross::low_rank;
  Index layers = 3;
  Index rank = 512;   ///< rank of low_rank and mixture
  Index experts = 4;  ///< number of experts of mixture
};

/// Settings of smaller_tables.hpp, for tables with more rows than a threshold.
struct SmallerTables {
  Index qr_collisions = 0;  ///< ids per row of the quotient table; 0 = no table is cut in two
  Index qr_threshold = 200;
  embedding::QrOperation qr_operation = embedding::QrOperation::mult;
  double md_temperature = 0.0;  ///< exponent in [0, 1] by which dimensions fall with rows; 0 = equal dimensions
  Index md_threshold = 200;
  bool md_round_dims = false;  ///< rounding of dimensions to powers of two
};

/// Settings from which model.type makes its layers, and settings of the loss.
struct Settings {
  std::string type = "dlrm";
  Index embedding_dim = 16;
  NumberType table_format = NumberType::fp32;  ///< format of the weights of tables without one of their own
  SmallerTables smaller = {};
  std::vector<Index> bottom = {512, 256, 64, 16};  ///< widths after the input; with dot the last is embedding_dim
  std::vector<Index> top = {512, 256, 1};          ///< widths after the interaction; the last is labels()
  std::vector<Index> deep = {512, 256};            ///< widths of the MLP beside the factorization machine
  Interaction interaction = Interaction::dot;
  bool itself = false;  ///< diagonal of the dot interaction
  CrossSettings cross = {};
  std::vector<Index> branch1 = {512, 256};  ///< widths of the projections that are multiplied
  std::vector<Index> branch2 = {512, 256};
  std::vector<std::string> wide = {"dense"};  ///< inputs of the linear part beside the MLP, as a layer's inputs
  std::vector<std::string> query = {"dense", "rest"};         ///< inputs of the query's tower
  std::vector<std::string> item = {};                         ///< inputs of the item's tower; targets of din
  std::vector<Index> towers = {256, 64};                      ///< widths of both towers
  std::vector<std::string> history = {};                      ///< sequences of din, one for each of `item`
  std::vector<Index> attention = {80, 40};                    ///< widths of the MLP that weighs a history's vectors
  bool attention_softmax = false;                             ///< softmax: a sample's weights sum to 1
  layers::Activation activation = layers::Activation::relu;   ///< activation of hidden layers
  products::Precision precision = products::Precision::fp32;  ///< precision of the operands of matrix products
  Kernels kernels = Kernels::automatic;            ///< kernels of the dense half (run.kernels); portable multiplies in
                                                   ///< fp32 only, and only cublaslt has tf32
  bool graphs = true;                              ///< launch of a repeated batch's kernels as one graph (run.graphs)
  std::vector<layers::LayerSettings> layers = {};  ///< layers of type network
  std::vector<std::string> tasks = {};             ///< labels that are learned, one output each; empty = the data's
                                                   ///< only label
  std::string loss = "bce";                        ///< name of a losses::LossType
  losses::LossSettings loss_settings = {};
  OwnValues own_values = {};  ///< values of the keys that the model registered

  /// Returns the labels of a sample T, each with an output of its own.
  Index labels() const { return std::max<Index>(1, std::ssize(tasks)); }
  /// Returns the value of a key that the model registered. Throws the errors of OwnValues::get.
  template <class T>
  const T& own(const std::string& key) const {
    return own_values.get<T>(key);
  }
};

}  // namespace tesserec::network
