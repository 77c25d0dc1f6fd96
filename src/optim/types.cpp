// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {
namespace {

std::vector<TypeInfo> some(bool (TypeInfo::*are)() const) {
  std::vector<TypeInfo> result;
  std::ranges::copy_if(types(), std::back_inserter(result), are);
  return result;
}

}  // namespace

bool TypeInfo::moves_tensors() const { return std::ranges::none_of(states, &StateInfo::per_row); }

bool TypeInfo::elementwise() const { return moves_tensors() && row_sums.empty(); }

bool TypeInfo::reads(const std::string& key) const { return std::find(keys.begin(), keys.end(), key) != keys.end(); }

bool TypeInfo::counts_steps() const { return reads("beta2") && type != Type::lion && type != Type::adam_rowwise_bias; }

const std::vector<TypeInfo>& types() {
  const StateInfo m{"exp_avg"}, v{"exp_avg_sq"}, row_v{"row_exp_avg_sq", true}, velocity{"momentum"};
  const std::vector<std::string> adam{"eps", "beta1", "beta2"}, adagrad{"eps", "initial_accumulator"};
  static const std::vector<TypeInfo> all = {
      {Type::sgd, "sgd", "the gradient.", {}, {}, {}},
      {Type::momentum_sgd, "momentum_sgd", "a velocity, which the gradient feeds.", {velocity}, {}, {"momentum"}},
      {Type::nesterov_sgd, "nesterov_sgd", "the velocity of the next step.", {velocity}, {}, {"momentum"}},
      {Type::adagrad, "adagrad", "the gradient over the root of the sum of its squares.", {{"sum"}}, {}, adagrad},
      {Type::rowwise_adagrad, "rowwise_adagrad", "the same with one sum a row.", {{"row_sum", true}}, {1}, adagrad},
      {Type::rowwise_rmsprop,
       "rowwise_rmsprop",
       "the gradient over the root of its row's running mean square; rows long untouched shrink.",
       {{"row_ema", true}, {"row_last", true}},
       {1},
       {"eps", "beta2", "ar_alpha", "min_shrinkage"}},
      {Type::adam, "adam", "running means of gradient and square; with decoupled decay AdamW.", {m, v}, {}, adam},
      {Type::adam_rowwise_bias,
       "adam_rowwise_bias",
       "its bias correction counts the steps that touched the row.",
       {m, v, {"row_count", true}},
       {},
       adam},
      {Type::partial_rowwise_adam, "partial_rowwise_adam", "one mean square a row.", {m, row_v}, {1}, adam},
      {Type::lion, "lion", "the sign of a running mean of the gradient.", {m}, {}, {"beta1", "beta2"}},
      {Type::lamb, "lamb", "Adam's update, as long as the row times lr.", {m, v}, {2}, adam},
      {Type::partial_rowwise_lamb,
       "partial_rowwise_lamb",
       "the same with one mean square a row.",
       {m, row_v},
       {1, 2},
       adam},
      {Type::lars_sgd,
       "lars_sgd",
       "a velocity, which the gradient feeds by eta times the row's length over its own.",
       {velocity},
       {2},
       {"momentum", "eta"}}};
  return all;
}

std::vector<TypeInfo> elementwise_types() { return some(&TypeInfo::elementwise); }
std::vector<TypeInfo> tensor_types() { return some(&TypeInfo::moves_tensors); }

}  // namespace tesserec::optim
