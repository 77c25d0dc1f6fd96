// SPDX-License-Identifier: Apache-2.0
#include "answers.hpp"

namespace tesserec::sharding {

std::vector<Index> Answers::fetched_gradients_at(std::size_t i) const {
  const Routes::Fetch& fetch = routes_.fetches()[i];
  std::vector<Index> at;
  for (std::size_t f = 0; f < fetch.keys.size(); ++f) at.push_back(request_of(fetch.first_route + f).at.gradients);
  return at;
}

void Answers::pool(const Exec& exec, const VectorMessage& rows) {
  pooled_rounded_ = bool(rows.rounding());
  fetched_sums_.reserve(exec, "tesserec::sharding::fetched_sums", requests_.fetched_end().sums);
  pool_fetched(exec, rows);
  pool_bags(exec, rows);
  if (!pooled_rounded_) return;
  const Front& front = requests_.front();
  rows.rounding().round(exec, place_, rows.out.data() + front.begin, front.end - front.begin);
  divide(exec, rows);
}

void Answers::share_gradients(const Exec& exec, const VectorMessage& gradients) {
  const Index begin = requests_.front().begin, fetched = requests_.fetched_end().gradients;
  fetched_gradients_.reserve(exec, "tesserec::sharding::fetched_gradients", fetched);
  share(exec, gradients);
  if (const Rounding& rounding = gradients.rounding()) {  // vectors to other ranks are rounded when they are sent
    rounding.round(exec, place_, gradients.in.data() + begin, requests_.others().gradients - begin);
    rounding.round(exec, place_, fetched_gradients_.data(), fetched);
  }
  sum_fetched(exec, gradients);
}

}  // namespace tesserec::sharding
