// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/embedding/block_of.hpp>
#include <tesserec/embedding/row_blocks.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::embedding {

enum class PoolingType { sum, mean };

/// Start values of rows: small ones at random, or 1 (of weights that ids learn).
enum class RowStart { uniform, one };

/// How a table's rows move: fused = touched rows only, by the sparse optimizer, in the backward pass; dense = every row
/// of the table by the dense optimizer.
enum class ComputeKernel { fused, dense };

/// The law by which an id has its block: its place among the table's rows, or a hash of it, which leaves the number of
/// rows open. Rows by hash need a RowStore that can find them; the store in memory cannot.
enum class BlockBy { rows, hash };

/// How the pooled vectors of a quotient table and its remainder table become one.
enum class QrOperation { add, mult, concat };

/// What makes a table the half of a larger one that is cut in two (Shi et al., arXiv 1909.02107): an id's rows are
/// id / collisions in the quotient table and id % collisions in the remainder table.
struct QrHalf {
  std::string table;     ///< the larger one's name
  Index ids = 0;         ///< and its rows
  Index collisions = 0;  ///< ids of one row of the quotient table, and rows of the remainder table
  QrOperation operation = QrOperation::mult;
  bool remainder = false;

  Index rows() const { return remainder ? collisions : (ids + collisions - 1) / collisions; }
  Index row(Index id) const { return remainder ? id % collisions : id / collisions; }
};

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
  Index projection = 0;  ///< columns that a learned matrix makes of the model's vector; 0 = there is none
  std::optional<Index> qr_collisions = {};  ///< of a deck: instead of model.qr_collisions; 0 = the table is not cut
  std::optional<QrHalf> half = {};
  BlockBy block_by = BlockBy::rows;

  BlockOf block_of() const { return block_by == BlockBy::hash ? BlockOf::by_hash() : BlockOf::by_rows(num_embeddings); }
  RowBlocks blocks() const { return RowBlocks(num_embeddings); }
  /// Returns the rows that may lie in these blocks: of a table by hash all.
  Range rows(Range of = {0, block_count}) const {
    return block_by == BlockBy::hash ? Range{0, num_embeddings} : blocks().rows(of);
  }
  Index weights() const { return num_embeddings * embedding_dim; }
  bool pools(std::size_t feature) const {
    return std::find(unpooled.begin(), unpooled.end(), feature_names[feature]) == unpooled.end();
  }
  /// Ids lie in [0, ids()); one beyond is reported of table whole().
  Index ids() const { return half ? half->ids : num_embeddings; }
  const std::string& whole() const { return half ? half->table : name; }
  Index row(Index id) const { return half ? half->row(id) : id; }
};

}  // namespace tesserec::embedding
