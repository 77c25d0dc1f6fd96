// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::embedding {

enum class PoolingType { sum, mean };

/// Start values of rows: small ones at random, or 1 (of weights that ids learn).
enum class RowStart { uniform, one };

/// How a table's rows move: fused = touched rows only, by the sparse optimizer, in the backward pass; dense = every row
/// of the table by the dense optimizer.
enum class ComputeKernel { fused, dense };

/// One logical table, TorchRec's EmbeddingBagConfig. Several features may share it.
struct EmbeddingBagConfig {
  std::string name;
  Index num_embeddings = 0;  ///< rows; 0 in a deck = the data set's
  Index embedding_dim = 0;   ///< columns; 0 in a deck = model.embedding_dim
  std::vector<std::string> feature_names;
  PoolingType pooling = PoolingType::sum;
  bool weighted = false;                          ///< multiply each row by the id's weight in the data
  std::optional<optim::Settings> optimizer = {};  ///< instead of [optimizer] sparse, or dense for that kernel
  std::vector<std::string> unpooled = {};         ///< those of its features that get one vector an id
  RowStart start = RowStart::uniform;
  std::vector<double> ids_per_bag = {};  ///< of each feature, on average; empty where it is not known

  bool pools(std::size_t feature) const {
    return std::find(unpooled.begin(), unpooled.end(), feature_names[feature]) == unpooled.end();
  }
};

}  // namespace tesserec::embedding
