// SPDX-License-Identifier: Apache-2.0
/// Optimizers. Each formula is written once: the dense optimizer applies it to its flat parameters, the embedding
/// tables to each touched row.
///
/// Sources: SGD, with momentum (Polyak, 1964; Nesterov, 1983; both as torch.optim.SGD); Adagrad (Duchi, Hazan, Singer,
/// 2011); Adam (Kingma, Ba, 2015), with decoupled decay AdamW (Loshchilov, Hutter, 2019); Lion (Chen and others, 2023);
/// LAMB (You and others, 2020); LARS (You, Gitman, Ginsburg, 2017); the row-wise forms, with one number per row, as in
/// FBGEMM.
/// eps is added outside the square root. Decay "l2" adds weight_decay * w to the gradient. Decay "decoupled" subtracts
/// lr * weight_decay * w from the weight; LAMB adds weight_decay * w to its update instead, before the trust ratio.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::optim {

/// Type of an optimizer.
enum class Type {
  sgd,
  momentum_sgd,
  nesterov_sgd,
  adagrad,
  rowwise_adagrad,
  rowwise_rmsprop,
  adam,
  adam_rowwise_bias,
  partial_rowwise_adam,
  lion,
  lamb,
  partial_rowwise_lamb,
  lars_sgd
};
/// Kind of weight decay.
enum class Decay { l2, decoupled };

/// Settings of an optimizer. `info(type).keys` lists the settings that a type reads.
struct Settings {
  Type type = Type::sgd;
  double lr = 0.01;           ///< base learning rate, which the schedule scales
  double eps = 1e-8;          ///< addend of the square root
  double beta1 = 0.9;         ///< decay of the mean gradient per step
  double beta2 = 0.999;       ///< decay of the mean squared gradient per step; in Lion of the mean gradient
  double max_gradient = 0.0;  ///< magnitude to which each number of a gradient is clipped; 0 = off
  double weight_decay = 0.0;
  Decay decay = Decay::l2;
  double initial_accumulator = 0.0;  ///< start value of the sums of Adagrad and row-wise Adagrad
  double momentum = 0.9;             ///< decay of the velocity per step
  double eta = 0.001;                ///< trust coefficient of LARS
  double ar_alpha = 0.0;             ///< shrinkage of row-wise RMSprop, per lr and step since the row's last update
  double min_shrinkage = 0.0;        ///< smallest factor of that shrinkage

  bool operator==(const Settings&) const = default;
};

/// State of an optimizer: its name, and whether it holds one number per row or per weight.
struct StateInfo {
  std::string name;  ///< "sum", "row_sum", "exp_avg", "exp_avg_sq", ...
  bool per_row = false;
};

/// Description of a type.
struct TypeInfo {
  Type type;
  std::string name;  ///< name in decks and messages
  std::string text;  ///< one sentence for people
  std::vector<StateInfo> states;
  std::vector<int> row_sums;      ///< [round] number of sums over all columns of a row that a step needs
  std::vector<std::string> keys;  ///< settings that the type reads besides lr, max_gradient, weight_decay and decay

  /// Returns whether a weight's step depends on its own numbers alone, so that any range of weights can be updated.
  bool elementwise() const;
  /// Returns whether the type can update a tensor of a dense half, which it treats as one long row.
  bool moves_tensors() const;
  /// Returns whether the type reads setting `key`.
  bool reads(const std::string& key) const;
  /// Returns whether the states are meaningful only together with the number of steps that made them.
  bool counts_steps() const;
};
/// Returns all types, in the order of the enumeration.
const std::vector<TypeInfo>& types();
/// Returns the elementwise types.
std::vector<TypeInfo> elementwise_types();
/// Returns the types that can update dense parameters.
std::vector<TypeInfo> tensor_types();
inline const TypeInfo& info(Type type) { return types()[std::size_t(type)]; }
inline const std::vector<StateInfo>& states(Type type) { return info(type).states; }
/// Returns the number of rounds in which the owners of a row's columns exchange sums.
inline int row_rounds(Type type) { return int(info(type).row_sums.size()); }

/// Scalars of one step's formulas besides the settings, computed once per step in double and rounded to float.
struct StepScalars {
  Type type = Type::sgd;
  bool elementwise = true;
  float lr = 0, eps = 0, beta1 = 0, beta2 = 0;
  float rest1 = 1, rest2 = 1;  ///< 1 - beta1, 1 - beta2
  float l2 = 0;                ///< factor of w that is added to the gradient
  float decoupled = 0;         ///< factor of w that LAMB adds to the update
  float shrink = 1;            ///< 1 - lr * weight_decay with decoupled decay
  float correction1 = 1;       ///< 1 / (1 - beta1^step)
  float correction2 = 1;       ///< 1 / sqrt(1 - beta2^step)
  float momentum = 0, eta = 0;
  float forget = 0;  ///< lr * ar_alpha of row-wise RMSprop
  float min_shrinkage = 0;
  float step = 1;
  double exact_beta1 = 0, exact_beta2 = 0;  ///< beta1 and beta2 in double, for their powers
};
/// Computes the scalars of step `step`, which counts from 1. `lr` is the scheduled rate of this step.
StepScalars step_scalars(const Settings& settings, double lr, Index step);

/// Multiplies each of n numbers by `scale` and clips it to magnitude `bound`; 0 = no clipping.
void limit(float scale, float bound, const float* from, float* to, Index n);

/// Pointers to the states of some weights, in the order of `states(type)`; null beyond the last state.
using States = std::array<float*, 3>;

/// Updates n consecutive weights, for elementwise types. The bits of a weight depend neither on n nor on its position.
void move(const StepScalars& step, float* weights, const float* gradient, const States& states, Index n);

/// Row of a table, or the columns of it that one owner holds, from a multiple of 4.
struct Row {
  float* weights;         ///< [columns.size()]
  const float* gradient;  ///< [columns.size()]
  States states;          ///< [columns.size()], or [1] for a state of the row
  Range columns;
  Index dim;  ///< number of columns of the whole row
};

/// Updates a row. The row must be whole if the type uses sums over it.
void move_row(const StepScalars& step, const Row& row);

/// Returns one leaf of each maximal subtree of column blocks that lies in `columns`, in order, for the owner of these
/// columns.
std::vector<Index> column_subtrees(Range columns);

/// Computes round `round` of a step of a row with several owners: the sums over each owned subtree, [row_sums[round],
/// column_subtrees(row.columns).size()]. Call it once per round, since states may change. `totals`: the whole row's
/// sums of the round before.
void sum_columns(const StepScalars& step, int round, const Row& row, const float* totals, float* sums);
/// Updates the owned columns after the last round. `totals`: the whole row's sums of that round.
void move_columns(const StepScalars& step, const Row& row, const float* totals);

/// Computes the sum of g*g over a row in a fixed order: blocks of 4 columns with fma from +0, then the blocks by the
/// fixed tree.
float sum_of_squares(const float* gradient, Index n);

}  // namespace tesserec::optim
