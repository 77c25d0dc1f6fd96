// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/number_type.hpp>
#include <tesserec/embedding/block_of.hpp>
#include <tesserec/embedding/row_blocks.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::embedding {

enum class PoolingType { sum, mean };

/// Start values of rows: small random numbers, or 1 for weights that ids learn.
enum class RowStart { uniform, one };

/// Kernels that update a table's rows. fused: touched rows only, by the sparse optimizer, in the backward pass. dense:
/// every row of the table, by the dense optimizer. host_cached: as fused, for rows in host memory with a cache in a
/// device's memory. disk: as fused, for rows in a file with a cache in memory.
enum class ComputeKernel { fused, dense, host_cached, disk };

/// Law that gives an id its block: by its place among the table's rows, or by a hash of the id. The hash leaves the
/// number of rows open. Rows by hash need a RowStore that can find them; the store in memory cannot.
enum class BlockBy { rows, hash };

/// Rule by which rows leave a growing table. none: rows stay. lru: in a full block, the row whose last batch is the
/// oldest leaves. lfu: in a full block, the row with the fewest batches leaves, the oldest of several. ttl: a row
/// leaves after some batches without its id, and never earlier.
enum class Eviction { none, lru, lfu, ttl };

/// Numbers that an id without a row reads: zeros, or the start values that its row would have.
enum class UnknownRow { zeros, start };

/// Rules by which ids get and lose the rows of a growing table.
struct GrowthRules {
  Index admit_after = 1;  ///< training batches in which an id must occur before it gets a row
  Eviction eviction = Eviction::lru;
  Index ttl = 0;  ///< for Eviction::ttl: steps in a deck, training batches in a store
  UnknownRow unknown = UnknownRow::zeros;
};

/// Operation that joins the pooled vectors of a quotient table and its remainder table.
enum class QrOperation { add, mult, concat };

/// Half of a larger table that is cut in two (Shi et al., arXiv 1909.02107). An id uses row id / collisions of the
/// quotient table and row id % collisions of the remainder table.
struct QrHalf {
  std::string table;     ///< name of the larger table
  Index ids = 0;         ///< rows of the larger table
  Index collisions = 0;  ///< ids of one row of the quotient table, and rows of the remainder table
  QrOperation operation = QrOperation::mult;
  bool remainder = false;

  Index rows() const { return remainder ? collisions : (ids + collisions - 1) / collisions; }
  Index row(Index id) const { return remainder ? id % collisions : id / collisions; }
};

/// Logical table, as TorchRec's EmbeddingBagConfig. Several features may share it.
struct EmbeddingBagConfig {
  std::string name;
  Index num_embeddings = 0;  ///< rows; 0 in a deck = as in the dataset. Readers call rows()
  Index embedding_dim = 0;   ///< columns; 0 in a deck = model.embedding_dim
  std::vector<std::string> feature_names;
  PoolingType pooling = PoolingType::sum;
  bool weighted = false;                          ///< true if each row is multiplied by the id's weight in the data
  std::optional<optim::Settings> optimizer = {};  ///< replaces [optimizer] sparse, or dense for that kernel
  std::vector<std::string> unpooled = {};         ///< features that get one vector per id
  RowStart start = RowStart::uniform;
  std::vector<double> ids_per_bag = {};     ///< [feature] mean ids per bag; empty = unknown
  Index projection = 0;                     ///< columns after multiplication by a learned matrix; 0 = no matrix
  std::optional<Index> qr_collisions = {};  ///< key of a deck, instead of model.qr_collisions; 0 = the table is not cut
  std::optional<QrHalf> half = {};
  BlockBy block_by = BlockBy::rows;
  std::optional<NumberType> format = {};  ///< key of a deck, instead of model.table_format
  GrowthRules growth = {};                ///< rules of a growing table

  /// Returns whether the table grows: ids are any 64-bit numbers, and num_embeddings is the capacity.
  bool grows() const { return block_by == BlockBy::hash; }
  BlockOf block_of() const { return block_by == BlockBy::hash ? BlockOf::by_hash() : BlockOf::by_rows(num_embeddings); }
  RowBlocks blocks() const { return RowBlocks(num_embeddings, grows()); }
  /// Returns the rows that may lie in these blocks: all rows, if blocks are by hash.
  Range rows(Range range = {0, block_count}) const { return grows() ? Range{0, num_embeddings} : blocks().rows(range); }
  Index weights() const { return num_embeddings * embedding_dim; }
  /// Returns the format in which the weights are stored. Optimizer states are fp32.
  NumberType weight_format() const { return format.value_or(NumberType::fp32); }
  bool pools(std::size_t feature) const {
    return std::find(unpooled.begin(), unpooled.end(), feature_names[feature]) == unpooled.end();
  }
  /// Returns the end of the ids, which lie in [0, ids()), unless the table grows. A message about an id beyond names
  /// the table whole().
  Index ids() const { return half ? half->ids : num_embeddings; }
  bool takes(Index id) const { return grows() || (id >= 0 && id < ids()); }
  const std::string& whole() const { return half ? half->table : name; }
  Index row(Index id) const { return half ? half->row(id) : id; }
};

/// Returns a table that sums the ids of its features, with all other settings at their defaults. No features: one with
/// the table's name.
inline EmbeddingBagConfig table_config(const std::string& name, Index rows, Index dim,
                                       const std::vector<std::string>& features = {}) {
  return {.name = name,
          .num_embeddings = rows,
          .embedding_dim = dim,
          .feature_names = features.empty() ? std::vector{name} : features};
}

}  // namespace tesserec::embedding
