// SPDX-License-Identifier: Apache-2.0
/// How parameters move. The formulas have one home: the dense optimizer calls them over its flat parameters,
/// the embedding tables over each touched row.
///
/// Sources: SGD; Adagrad (Duchi, Hazan, Singer, 2011); row-wise Adagrad (one sum a row, as FBGEMM's
/// EXACT_ROWWISE_ADAGRAD); Adam (Kingma, Ba, 2015). eps stands outside the square root. Decay "l2" adds
/// weight_decay * w to the gradient, "decoupled" takes lr * weight_decay * w from the weight.
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::optim {

enum class Type { sgd, adagrad, rowwise_adagrad, adam };
enum class Decay { l2, decoupled };

struct Settings {
  Type type = Type::sgd;
  double lr = 0.01;      ///< base learning rate; the schedule scales it
  double eps = 1e-8;     ///< Adagrad, row-wise Adagrad, Adam: added to the root
  double beta1 = 0.9;    ///< Adam
  double beta2 = 0.999;  ///< Adam
  double weight_decay = 0.0;
  Decay decay = Decay::l2;
  double initial_accumulator = 0.0;  ///< Adagrad, row-wise Adagrad: start value of the sums
};

/// Name of a state and whether it holds one number a row instead of one a weight.
struct StateInfo {
  std::string name;  ///< "sum", "row_sum", "exp_avg", "exp_avg_sq"
  bool per_row = false;
};
std::vector<StateInfo> states(Type type);
/// Whether a row moves by a sum over all its columns.
inline bool sums_rows(Type type) { return type == Type::rowwise_adagrad; }

/// What one step's formulas need besides the settings: computed once a step, in double, rounded to float.
struct StepScalars {
  Type type = Type::sgd;
  float lr = 0, eps = 0, beta1 = 0, beta2 = 0;
  float rest1 = 1, rest2 = 1;  ///< Adam: 1 - beta1, 1 - beta2
  float l2 = 0;                ///< added to the gradient, times w
  float shrink = 1;            ///< decoupled decay: 1 - lr * weight_decay
  float correction1 = 1;       ///< Adam: 1 / (1 - beta1^step)
  float correction2 = 1;       ///< Adam: 1 / sqrt(1 - beta2^step)
};
/// `lr` is the scheduled rate of this step; `step` counts from 1.
StepScalars step_scalars(const Settings& settings, double lr, Index step);

/// One step of n consecutive weights with gradient g; state0 and state1 as `states(type)` lists them (null
/// where the type has fewer). Not for rowwise_adagrad. The bits of a weight do not depend on n or its place
/// in the range.
void move(const StepScalars& step, float* weights, const float* gradient, float* state0, float* state1, Index n);

/// Sum of g*g over a row by the law: blocks of 4 columns in order with fma from +0, blocks by the fixed tree.
float sum_of_squares(const float* gradient, Index n);

/// For the owner of columns [begin, end) of the rows of a table, begin a multiple of 4: a leaf under each whole subtree
/// of column blocks, in order. Their sums of squares, from all owners, make the row's.
std::vector<Index> column_subtrees(Range columns);

/// The sums of h*h of those subtrees, h the gradient with l2 decay: sums[column_subtrees(columns).size()].
void column_square_sums(const StepScalars& step, const float* row, const float* gradient, Range columns, float* sums);

/// Row-wise Adagrad of some columns [n] of a row of `dim`, whose sum of squares is known.
void move_columns(const StepScalars& step, float* row, const float* gradient, float* row_sum, float squares, Index dim,
                  Index n);

/// One step of a whole row: `move`, or for rowwise_adagrad state0[0] += mean(g*g) first (l2 decay enters g).
void move_row(const StepScalars& step, float* row, const float* gradient, float* state0, float* state1, Index n);

}  // namespace tesserec::optim
