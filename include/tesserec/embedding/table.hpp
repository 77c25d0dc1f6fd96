// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tesserec/core/exact_sum.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/placed.hpp>
#include <tesserec/embedding/gathered_rows.hpp>
#include <tesserec/embedding/pooling.hpp>
#include <tesserec/embedding/row_gradient.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::embedding {

/// The bags of a shard in one global batch: runs of samples in sample order, in each run one Bags a feature.
using ShardBags = std::vector<std::vector<Bags>>;

/// Sums of rows' gradients over subtrees of one rank's lanes.
struct RowSums {
  std::vector<Index> rows;    ///< of the shard, ascending
  std::vector<Index> leaves;  ///< a lane of each
  std::vector<float> sums;    ///< [rows.size(), dim]
};

/// One rank's rectangle of one logical table, row blocks by columns, with its optimizer state. A batch is
/// prepared, looked up and moves the rows by one of the updates below.
class EmbeddingTable {
 public:
  /// `optimizer` is the sparse one for the fused kernel and the dense one for the dense kernel. Numbers in the host's
  /// memory are looked up and moved by the functions below, those of a device by RowKernels alone.
  EmbeddingTable(const Exec& exec, const EmbeddingBagConfig& config, Range blocks, Range columns,
                 const optim::Settings& optimizer, ComputeKernel kernel, Place place = Place::host);

  const EmbeddingBagConfig& config() const { return config_; }
  ComputeKernel kernel() const { return kernel_; }
  const optim::Settings& optimizer() const { return optimizer_; }
  const RowBlocks& row_blocks() const { return row_blocks_; }
  Range blocks() const { return blocks_; }
  Range rows() const { return rows_; }
  Range columns() const { return columns_; }
  /// Columns held here.
  Index dim() const { return columns_.size(); }
  /// Whether a row moves by sums over columns that others hold: then sum_columns and move_columns update it.
  bool shares_rows() const { return optim::row_rounds(optimizer_.type) > 0 && dim() < config_.embedding_dim; }

  /// Rows [rows().size(), dim].
  const PlacedMatrix<float>& weights() const { return weights_; }
  /// Optimizer state: as many columns as held here, or one, which each owner of a row's columns keeps.
  struct State {
    std::string name;
    bool per_row = false;
    PlacedMatrix<float> values;
  };
  const std::vector<State>& state() const { return state_; }
  /// Of the dense kernel: one a row, zero between steps.
  const PlacedMatrix<float>& dense_gradient() const { return dense_gradient_; }

  /// U(-sqrt(1/n), sqrt(1/n)), n the table's rows, as the reference DLRM; from (seed, table, row, column). Or 1.
  void initialise(const Exec& exec, std::uint64_t seed, Index table);

  /// The ids of a batch, before its lookup: orders them by row for the update.
  void prepare(const ShardBags& bags, const BatchSplit& split);

  /// Sums of bags for one feature's run; out[node, dim].
  void lookup(const Exec& exec, const Bags& bags, const Nodes& nodes, float* out) const;
  /// Its parts, which threads may do at once.
  static Index lookup_tasks(const Bags& bags);
  void lookup_task(Index task, const Bags& bags, const Nodes& nodes, float* out) const;

  /// One rank's share of a data-parallel table.
  RowSums sum_gradients(const float* gradients, Range lanes) const;

  /// In place of a prepared batch: uses by sums over subtrees of lanes, lane order within a row.
  void prepare_sums(std::span<const RowUse> sums);

  /// Moves the rows of the prepared batch, each once. `gradients` holds the vectors that Bags::gradients_at speaks of.
  void update(const Exec& exec, const float* gradients, double lr, Index step);
  /// Its parts, each with an equal share of the uses, which threads may do at once; then the last, alone.
  void update_task(Index share, Index shares, const float* gradients, double lr, Index step);
  void finish_update(const Exec& exec, double lr, Index step);

  /// The same after several micro-batches, each prepared and gathered; `gradients` as for update.
  void gather_gradients(const Exec& exec, const float* gradients);
  GatheredRows& gathered() { return gathered_; }
  /// After the last: the squares of the gathered gradients, added to `sum`.
  void add_squares(const Exec& exec, ExactSum& sum);
  /// Then, once: the gathered gradients times `scale`, and cut by value if the optimizer says so.
  void finish_gradients(const Exec& exec, float scale);
  /// The rows move, and nothing is gathered any more.
  void move_gathered(const Exec& exec, double lr, Index step);
  /// In place of it, where rows are shared, rounds: round k of optim::row_rounds gives of each row its sums over this
  /// shard's subtrees of columns, [gathered rows, row_sums[k], column_subtrees(columns())]; `totals` are the whole
  /// rows' of the round before, [gathered rows, row_sums[k - 1]]. Then, given those of the last round, the rows move.
  std::vector<float> sum_columns(const Exec& exec, int round, const float* totals, double lr, Index step);
  void move_columns(const Exec& exec, const float* totals, double lr, Index step);

 private:
  /// A held row, counted from 0, with its gradient.
  optim::Row row(Index i, const float* gradient) const {
    const auto state = [&](int s) { return states_.begin[s] + i * states_.width[s]; };
    return {weights_.data() + i * dim(), gradient, {state(0), state(1), state(2)}, columns_, config_.embedding_dim};
  }
  /// Its gradient as the optimizer wants it: cut by value, into `scratch`, if it says so.
  const float* clipped(const float* gradient, std::vector<float>& scratch) const {
    if (optimizer_.max_gradient == 0.0) return gradient;
    scratch.resize(dim());
    optim::limit(1.0f, float(optimizer_.max_gradient), gradient, scratch.data(), dim());
    return scratch.data();
  }
  template <class Body>  // body(place among the gathered rows, row)
  void over_gathered(const Exec& exec, const std::string& label, const Body& body);
  /// What an update of this row will read. Always inline: GCC takes a function that only prefetches for one without
  /// effect, and drops the call.
  [[gnu::always_inline]] void prefetch(Index row) const {
    constexpr Index line = 16;  // floats
    for (Index c = 0; c < dim(); c += line) __builtin_prefetch(weights_.data() + row * dim() + c, 1);
    for (const State& s : state_) {
      const Index n = s.values.columns();
      for (Index c = 0; c < n; c += line) __builtin_prefetch(s.values.data() + row * n + c, 1);
    }
  }
  void update_every_row(const Exec& exec, const optim::StepScalars& scalars);

  EmbeddingBagConfig config_;
  RowBlocks row_blocks_;
  Range blocks_;
  Range rows_;
  Range columns_;
  optim::Settings optimizer_;
  ComputeKernel kernel_;
  PlacedMatrix<float> weights_;
  std::vector<State> state_;
  struct {
    optim::States begin{};
    std::array<Index, optim::States().size()> width{};
  } states_;                            // the same, for the loop over rows
  PlacedMatrix<float> dense_gradient_;  // dense kernel only; zero between steps
  struct {
    std::vector<RowUse> uses;  // by row
    bool are_sums = false;     // over subtrees of lanes
  } batch_;                    // the prepared one
  GatheredRows gathered_;
};

}  // namespace tesserec::embedding
