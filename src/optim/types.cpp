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
  static const std::vector<TypeInfo> infos = {
      {Type::sgd, "sgd", "gradient descent.", {}, {}, {}},
      {Type::momentum_sgd, "momentum_sgd", "gradient descent with momentum.", {velocity}, {}, {"momentum"}},
      {Type::nesterov_sgd, "nesterov_sgd", "gradient descent with Nesterov momentum.", {velocity}, {}, {"momentum"}},
      {Type::adagrad, "adagrad", "divides the gradient by the root of the sum of its squares.", {{"sum"}}, {}, adagrad},
      {Type::rowwise_adagrad, "rowwise_adagrad", "adagrad with one sum per row.", {{"row_sum", true}}, {1}, adagrad},
      {Type::rowwise_rmsprop,
       "rowwise_rmsprop",
       "divides the gradient by the root of its row's running mean square; a touched row shrinks by the steps since "
       "its last touch.",
       {{"row_ema", true}, {"row_last", true}},
       {1},
       {"eps", "beta2", "ar_alpha", "min_shrinkage"}},
      {Type::adam,
       "adam",
       "running means of the gradient and its square; AdamW with decay = \"decoupled\".",
       {m, v},
       {},
       adam},
      {Type::adam_rowwise_bias,
       "adam_rowwise_bias",
       "adam whose bias correction counts the steps that touched the row.",
       {m, v, {"row_count", true}},
       {},
       adam},
      {Type::partial_rowwise_adam, "partial_rowwise_adam", "adam with one mean square per row.", {m, row_v}, {1}, adam},
      {Type::lion, "lion", "sign of a running mean of the gradient.", {m}, {}, {"beta1", "beta2"}},
      {Type::lamb, "lamb", "adam whose update of a row is scaled to the row's norm times lr.", {m, v}, {2}, adam},
      {Type::partial_rowwise_lamb,
       "partial_rowwise_lamb",
       "lamb with one mean square per row.",
       {m, row_v},
       {1, 2},
       adam},
      {Type::lars_sgd,
       "lars_sgd",
       "momentum_sgd whose gradient is scaled by eta times the row's norm over the gradient's norm.",
       {velocity},
       {2},
       {"momentum", "eta"}}};
  return infos;
}

std::vector<TypeInfo> elementwise_types() { return some(&TypeInfo::elementwise); }
std::vector<TypeInfo> tensor_types() { return some(&TypeInfo::moves_tensors); }

}  // namespace tesserec::optim
