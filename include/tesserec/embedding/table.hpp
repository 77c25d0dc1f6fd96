// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tesserec/embedding/pooling.hpp>
#include <tesserec/embedding/row_gradient.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::embedding {

/// The bags of a shard in one global batch: runs of samples in sample order, in each run one Bags a feature.
using ShardBags = std::vector<std::vector<Bags>>;

/// One rank's row blocks of one logical table, with the optimizer state of its rows. Reached through prepare, lookup
/// and update alone.
class EmbeddingTable {
 public:
  /// `optimizer` is the sparse one for the fused kernel and the dense one for the dense kernel.
  EmbeddingTable(const Exec& exec, const EmbeddingBagConfig& config, Range blocks, const optim::Settings& optimizer,
                 ComputeKernel kernel);

  const EmbeddingBagConfig& config() const { return config_; }
  ComputeKernel kernel() const { return kernel_; }
  const optim::Settings& optimizer() const { return optimizer_; }
  const RowBlocks& row_blocks() const { return row_blocks_; }
  Range blocks() const { return blocks_; }
  Range rows() const { return rows_; }
  Index dim() const { return config_.embedding_dim; }

  /// Rows [rows().size(), dim].
  const Matrix<float>& weights() const { return weights_; }
  /// Optimizer state: as many columns as the table, or one.
  struct State {
    std::string name;
    Matrix<float> values;
  };
  const std::vector<State>& state() const { return state_; }

  /// U(-sqrt(1/n), sqrt(1/n)), n the table's rows, as the reference DLRM; from (seed, table, row, column).
  void initialise(const Exec& exec, std::uint64_t seed, Index table);

  /// The ids of a batch, before its lookup: orders them by row for the update.
  void prepare(const ShardBags& bags, const Lanes& lanes, Index global_size);

  /// Sums of bags for one feature's run; out[node, dim].
  void lookup(const Exec& exec, const Bags& bags, const Nodes& nodes, float* out) const;

  /// Sums of the rows' gradients over the subtrees of `lanes`, one rank's share of a data-parallel table.
  struct RowSums {
    std::vector<Index> rows;
    std::vector<Index> leaves;
    std::vector<float> sums;  ///< [rows.size(), dim]
  };
  RowSums sum_gradients(const float* gradients, Range lanes) const;

  /// Moves the rows of the prepared batch, each once. `gradients` holds the vectors that Bags::gradients_at speaks of.
  void update(const Exec& exec, const float* gradients, double lr, Index step);
  /// The same from subtree sums that all ranks gathered, in lane order.
  void update(const Exec& exec, const RowSums& gathered, double lr, Index step);

 private:
  void move(const Exec& exec, const std::vector<RowUse>& uses, const float* gradients, bool sums, double lr, Index step);

  EmbeddingBagConfig config_;
  RowBlocks row_blocks_;
  Range blocks_;
  Range rows_;
  optim::Settings optimizer_;
  ComputeKernel kernel_;
  Matrix<float> weights_;
  std::vector<State> state_;
  Matrix<float> dense_gradient_;  // dense kernel only; zero between steps
  std::vector<RowUse> uses_;      // of the prepared batch, by row
  std::vector<RowUse> scratch_;
};

}  // namespace tesserec::embedding
