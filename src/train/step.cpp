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
                     const optim::ScheduleSettings& schedule, model::ShardedModel& model)
    : exec_(exec),
      comm_(comm),
      lanes_(lanes),
      schedule_(schedule),
      model_(model),
      reduce_(exec, comm, lanes, model.dense.parameters(), model.node.ranks().size()) {}

double TrainStep::operator()(PipelinedBatch& now, PipelinedBatch* next, Index step) {
  auto& tables = model_.tables();
  auto& dense = model_.dense;
  const double rate = optim::scheduled_rate(schedule_, model_.optimizer.settings().lr, step);
  if (keeps_predictions_) predictions_.resize(now.batch.size);
  Phases::Sequence phase(phases());

  // README.md shows what follows.
  if (!now.ids) now.ids = tables.start(now.batch.sparse, now.batch.global_size);
  const auto pooled = tables.forward(exec_, now.ids);
  if (next != nullptr) next->ids = tables.start(next->batch.sparse, next->batch.global_size);
  const auto pooled_gradient = tables.gradient(exec_, now.ids);
  const auto unpooled_gradient = tables.unpooled_gradient(now.ids);
  phase("reduce");
  auto& lane_gradients = reduce_.lane_sums();
  phase("dense");
  const auto lane_losses = dense.forward_backward(exec_, model_.parameters, input(now.batch, now.ids, pooled, step),
                                                  pooled_gradient.data(), lane_gradients, unpooled_gradient);
  if (next != nullptr) tables.advance(next->ids);
  phase("reduce");
  gradient_ = reduce_();
  const double loss = comm::tree_reduce(comm_, lanes_, lane_losses);
  phase("check");
  check_finite(pooled_gradient, unpooled_gradient, loss, step);
  tables.backward(exec_, std::move(now.ids), schedule_, step);
  phase("optimizer");
  model_.move_dense(exec_, gradient_, rate, step);
  return loss;
}

void TrainStep::predict(const data::Batch& batch, float* probabilities, float* towers) {
  auto ids = model_.tables().start(batch.sparse, batch.global_size);
  const auto pooled = model_.tables().forward(exec_, ids);
  model_.dense.predict(exec_, model_.parameters, input(batch, ids, pooled, 0), probabilities, towers);
}

model::DenseInput TrainStep::input(const data::Batch& batch, sharding::InFlight& ids,
                                   const MatrixView<const float>& pooled, Index step) {
  return {lanes_,
          lanes_.of_rank(comm_.rank(), comm_.size()),
          batch.global_size,
          batch.dense.data(),
          pooled.data(),
          batch.labels.data(),
          model_.seed,
          step,
          keeps_predictions_ ? predictions_.data() : nullptr,
          model_.tables().unpooled(ids)};
}

void TrainStep::check_finite(const MatrixView<float>& pooled_gradient,
                             const std::vector<jagged::JaggedVectors>& unpooled_gradient, double loss, Index step) {
  const auto& dense = model_.dense;
  if (!std::isfinite(loss))
    fail("step ", step, ": the loss is ", std::isnan(loss) ? "not a number" : "infinite",
         "; lower the learning rate or look at the data. This step has no checkpoint");
  // Each rank looks at a piece of the dense gradient, which is the same on all, and at its own samples'.
  const Index size = dense.parameters(), begin = size * comm_.rank() / comm_.size();
  const Index at = first_not_finite(gradient_.data() + begin, size * (comm_.rank() + 1) / comm_.size() - begin);
  const Index bad = first_not_finite(pooled_gradient.data(), std::ssize(pooled_gradient));
  Index sequence = -1;
  for (std::size_t q = 0; q < unpooled_gradient.size(); ++q)
    if (const Matrix<float>& values = unpooled_gradient[q].values; first_not_finite(values.data(), values.size()) >= 0)
      sequence = q;
  std::array<Index, 3> found{at < 0 ? -1 : size - begin - at, bad < 0 ? -1 : bad % dense.pooled_width(), sequence};
  comm_.max(found);
  const Index offset = size - found[0], column = found[1];  // the first one of all ranks
  for (const model::Parameter& p : dense.layout())
    if (offset >= p.offset && offset < p.offset + p.rows * p.columns)
      fail("step ", step, ": the gradient of ", p.name,
           " is not finite; lower the learning rate. This step has no checkpoint");
  Index end = 0, sequences = 0;
  for (const embedding::EmbeddingBagConfig& table : model_.tables().tables())
    for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
      const bool before = end > column, own = table.pools(f) ? (end += table.embedding_dim) > column : false;
      if ((column >= 0 && own && !before) || (!table.pools(f) && sequences++ == found[2]))
        fail("step ", step, ": the gradient of table ", table.name, " (feature ", table.feature_names[f],
             ") is not finite; lower the learning rate. This step has no checkpoint");
    }
}

}  // namespace tesserec::train
