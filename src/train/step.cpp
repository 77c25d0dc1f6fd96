// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cmath>

#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/train/step.hpp>

namespace tesserec::train {
namespace {

/// First element that is not finite, or -1.
TESSEREC_KERNEL Index first_not_finite(const float* values, Index n) {
  constexpr std::uint32_t exponent = 0x7f800000;
  std::uint32_t found = 0;  // integers, so that the loop becomes vector code
  for (Index i = 0; i < n; ++i) found |= (std::bit_cast<std::uint32_t>(values[i]) & exponent) == exponent;
  if (!found) return -1;
  Index at = 0;
  while (std::isfinite(values[at])) ++at;
  return at;
}

}  // namespace

TrainStep::TrainStep(const Exec& exec, const comm::Communicator& comm, const Lanes& lanes,
                     const optim::ScheduleSettings& schedule, model::DistributedModelParallel& model)
    : exec_(exec),
      comm_(comm),
      lanes_(lanes),
      schedule_(schedule),
      model_(model),
      reduce_(exec, comm, lanes, model.dense.parameters(), model.node.ranks().size()) {}

double TrainStep::operator()(const data::Batch& batch, const data::Batch* next, Index step) {
  auto& tables = model_.tables;
  auto& dense = model_.dense;
  auto& exchange = tables.exchange();
  auto& ahead = tables.exchange_ahead();

  if (!next_under_way_) phases_.time("send ids", [&] { exchange.start_ids(batch.sparse, batch.global_size); });
  const auto& ids = embed();
  if (next != nullptr) phases_.time("send ids", [&] { ahead.start_ids(next->sparse, next->global_size); });
  phases_.time("sort ids", [&] { tables.prepare(exec_, ids, batch.global_size); });
  pooled_gradient_ = exchange.pooled_gradient(exec_);
  auto& lane_gradients = phases_.time(
      "reduce", [&]() -> auto& { return reduce_.lane_sums(); });
  const auto lane_losses = phases_.time("dense", [&] {
    return dense.forward_backward(exec_, model_.parameters, input(batch), pooled_gradient_, lane_gradients);
  });
  if (next != nullptr) phases_.time("send ids", [&] { ahead.continue_ids(); });
  next_under_way_ = next != nullptr;
  const double loss = phases_.time("reduce", [&] {
    gradient_ = reduce_();
    return comm::tree_reduce(comm_, lanes_, lane_losses);
  });
  phases_.time("check", [&] { check_finite(batch, loss, step); });
  const float* gradients = phases_.time("send gradients", [&] { return exchange.send_gradients(exec_); });
  phases_.time("update", [&] { tables.update(exec_, gradients, schedule_, step); });
  phases_.time("optimizer", [&] {
    const double base = model_.optimizer.settings().lr;
    model_.move_dense(exec_, gradient_, optim::scheduled_rate(schedule_, base, step), step);
  });
  bytes_sent_ += exchange.bytes_sent();
  if (next_under_way_) tables.advance();
  return loss;
}

const std::vector<sharding::AskedShard>& TrainStep::embed() {
  auto& tables = model_.tables;
  auto& exchange = tables.exchange();
  const auto& ids = phases_.time(
      "send ids", [&]() -> auto& { return exchange.finish_ids(); });
  phases_.time("lookup", [&] { tables.lookup(exec_, ids, exchange.rows(exec_)); });
  phases_.time("return rows", [&] { pooled_ = exchange.return_rows(exec_); });
  return ids;
}

void TrainStep::predict(const data::Batch& batch, float* probabilities) {
  // Ids of a next step may be under way in the exchange at hand: the other one is free.
  auto& tables = model_.tables;
  if (next_under_way_) tables.advance();
  phases_.time("send ids", [&] { tables.exchange().start_ids(batch.sparse, batch.global_size); });
  embed();
  model_.dense.predict(exec_, model_.parameters, input(batch), probabilities);
  if (next_under_way_) tables.advance();
}

void TrainStep::drop_next() {
  if (next_under_way_) model_.tables.exchange().finish_ids();
  next_under_way_ = false;
}

model::DenseInput TrainStep::input(const data::Batch& batch) const {
  return {lanes_,
          lanes_.of_rank(comm_.rank(), comm_.size()),
          batch.global_size,
          batch.dense.data(),
          pooled_,
          batch.labels.data()};
}

void TrainStep::check_finite(const data::Batch& batch, double loss, Index step) {
  const auto& dense = model_.dense;
  if (!std::isfinite(loss))
    fail("step ", step, ": the loss is ", std::isnan(loss) ? "not a number" : "infinite",
         "; lower the learning rate or look at the data. This step has no checkpoint");
  // Each rank looks at a piece of the dense gradient, which is the same on all, and at its own samples'.
  const Index size = dense.parameters(), begin = size * comm_.rank() / comm_.size();
  const Index at = first_not_finite(gradient_.data() + begin, size * (comm_.rank() + 1) / comm_.size() - begin);
  const Index bad = first_not_finite(pooled_gradient_, batch.size * dense.pooled_width());
  std::array<Index, 2> found{at < 0 ? -1 : size - begin - at, bad < 0 ? -1 : bad % dense.pooled_width()};
  comm_.max(found);
  const Index offset = size - found[0], column = found[1];  // the first one of all ranks
  for (const model::Parameter& p : dense.layout())
    if (offset >= p.offset && offset < p.offset + p.rows * p.columns)
      fail("step ", step, ": the gradient of ", p.name,
           " is not finite; lower the learning rate. This step has no checkpoint");
  if (column < 0) return;
  Index end = 0;
  for (const embedding::EmbeddingBagConfig& table : model_.tables.tables())
    for (const std::string& feature : table.feature_names)
      if (column < (end += table.embedding_dim))
        fail("step ", step, ": the gradient of table ", table.name, " (feature ", feature,
             ") is not finite; lower the learning rate. This step has no checkpoint");
}

}  // namespace tesserec::train
