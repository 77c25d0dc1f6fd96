// SPDX-License-Identifier: Apache-2.0
/// How parameters move. The formulas have one home: the dense optimizer calls them over its flat parameters,
/// the embedding tables over each touched row.
///
/// Sources: SGD, with momentum (Polyak, 1964; Nesterov, 1983; both as torch.optim.SGD); Adagrad (Duchi, Hazan, Singer,
/// 2011); Adam (Kingma, Ba, 2015), with decoupled decay AdamW (Loshchilov, Hutter, 2019); Lion (Chen and others, 2023);
/// LAMB (You and others, 2020); LARS (You, Gitman, Ginsburg, 2017); the row-wise forms, one number a row, as FBGEMM's.
/// eps stands outside the square root. Decay "l2" adds weight_decay * w to the gradient, "decoupled" takes
/// lr * weight_decay * w from the weight; LAMB adds weight_decay * w to its update, before the trust ratio.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::optim {

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
enum class Decay { l2, decoupled };

/// Settings of an optimizer; `info(type).keys` says which of them a type reads.
struct Settings {
  Type type = Type::sgd;
  double lr = 0.01;           ///< base learning rate; the schedule scales it
  double eps = 1e-8;          ///< added to the root
  double beta1 = 0.9;         ///< decay of the mean gradient, a step
  double beta2 = 0.999;       ///< decay of the mean squared gradient, a step; Lion: of the mean gradient
  double max_gradient = 0.0;  ///< each number of a gradient is cut to this magnitude; 0 = none is
  double weight_decay = 0.0;
  Decay decay = Decay::l2;
  double initial_accumulator = 0.0;  ///< Adagrad, row-wise Adagrad: start value of the sums
  double momentum = 0.9;             ///< decay of the velocity, a step
  double eta = 0.001;                ///< LARS: trust coefficient
  double ar_alpha = 0.0;             ///< row-wise RMSprop: shrinkage, per lr and step since the row was last touched
  double min_shrinkage = 0.0;        ///< row-wise RMSprop: the least factor of that shrinkage

  bool operator==(const Settings&) const = default;
};

/// Name of a state and whether it holds one number a row instead of one a weight.
struct StateInfo {
  std::string name;  ///< "sum", "row_sum", "exp_avg", "exp_avg_sq", ...
  bool per_row = false;
};

struct TypeInfo {
  Type type;
  std::string name;  ///< in decks and messages
  std::string text;  ///< one sentence
  std::vector<StateInfo> states;
  std::vector<int> row_sums;      ///< a row moves by sums over all its columns: how many in each round
  std::vector<std::string> keys;  ///< settings that it reads, besides lr, max_gradient, weight_decay and decay

  /// Returns whether a weight moves by its own numbers alone, so that any run of weights can be moved.
  bool elementwise() const;
  /// Returns whether a tensor of a dense half can be moved, for which it is one long row.
  bool moves_tensors() const;
  bool reads(const std::string& key) const;
  /// Tells whether its states mean something only beside the number of steps that made them.
  bool counts_steps() const;
};
/// All of them, in the order of the enumeration.
const std::vector<TypeInfo>& types();
/// Lists those that also move every row of a table; and dense parameters.
std::vector<TypeInfo> elementwise_types();
std::vector<TypeInfo> tensor_types();
inline const TypeInfo& info(Type type) { return types()[std::size_t(type)]; }
inline const std::vector<StateInfo>& states(Type type) { return info(type).states; }
/// Rounds in which the owners of a row's columns exchange sums.
inline int row_rounds(Type type) { return int(info(type).row_sums.size()); }

/// Numbers that one step's formulas need besides the settings: computed once a step, in double, rounded to float.
struct StepScalars {
  Type type = Type::sgd;
  bool elementwise = true;
  float lr = 0, eps = 0, beta1 = 0, beta2 = 0;
  float rest1 = 1, rest2 = 1;  ///< 1 - beta1, 1 - beta2
  float l2 = 0;                ///< added to the gradient, times w
  float decoupled = 0;         ///< LAMB: added to the update, times w
  float shrink = 1;            ///< decoupled decay: 1 - lr * weight_decay
  float correction1 = 1;       ///< 1 / (1 - beta1^step)
  float correction2 = 1;       ///< 1 / sqrt(1 - beta2^step)
  float momentum = 0, eta = 0;
  float forget = 0;  ///< row-wise RMSprop: lr * ar_alpha
  float min_shrinkage = 0;
  float step = 1;
  double exact_beta1 = 0, exact_beta2 = 0;  ///< for powers of them
};
/// `lr` is the scheduled rate of this step; `step` counts from 1.
StepScalars step_scalars(const Settings& settings, double lr, Index step);

/// Each of n numbers times `scale`, then cut to magnitude `most`; 0 = none is.
void limit(float scale, float most, const float* from, float* to, Index n);

/// Places of the states of some weights, as `states(type)` lists them; null where the type has fewer.
using States = std::array<float*, 3>;

/// Moves n consecutive weights, for elementwise types. The bits of a weight depend neither on n nor on its place.
void move(const StepScalars& step, float* weights, const float* gradient, const States& states, Index n);

/// A row of a table, or what one owner holds of it: some of its columns, from a multiple of 4.
struct Row {
  float* weights;         ///< [columns.size()]
  const float* gradient;  ///< [columns.size()]
  States states;          ///< as many, or one
  Range columns;
  Index dim;  ///< of the whole row
};

/// One step of a row. It must be whole where the type moves by sums over it.
void move_row(const StepScalars& step, const Row& row);

/// Lists a leaf under each whole subtree of column blocks of [begin, end), in order, for the owner of these columns.
std::vector<Index> column_subtrees(Range columns);

/// Takes one round of a step of a row with several owners, once, since states may move. Round k returns sums over
/// subtrees, [row_sums[k], column_subtrees(row.columns).size()]. `totals`: the whole row's sums of the round before.
void sum_columns(const StepScalars& step, int round, const Row& row, const float* totals, float* sums);
/// After the last round, of which `totals` are.
void move_columns(const StepScalars& step, const Row& row, const float* totals);

/// Sum of g*g over a row by the law: blocks of 4 columns in order with fma from +0, blocks by the fixed tree.
float sum_of_squares(const float* gradient, Index n);

}  // namespace tesserec::optim
