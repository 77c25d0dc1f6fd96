// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include <tesserec/comm/same.hpp>
#include <tesserec/comm/transport.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/train/step.hpp>

namespace tesserec::train {
namespace {

template <class... Texts>
[[noreturn]] void fail_diverged(Index step, const Texts&... texts) {
  throw Diverged(concat("step ", step, ": ", texts..., ". This step has no checkpoint"));
}

}  // namespace

data::Deal deal_of(const model::ShardedModel& model, Index batch_size, bool shuffle) {
  const comm::Communicator& comm = model.embeddings.env();
  return {comm.rank(), comm.size(), model.embeddings.step_lanes(), batch_size, shuffle, model.seed};
}

TrainStep::TrainStep(const Exec& exec, model::ShardedModel& model, double max_norm)
    : exec_(exec),
      model_(model),
      comm_(model.embeddings.env()),
      lanes_(model.embeddings.step_lanes()),
      max_norm_(max_norm),
      sums_rows_(lanes_.micro_batches() > 1 || max_norm > 0.0),
      reduce_(exec, comm_, lanes_, model.dense.parameters(), model.node.ranks().size(), model.parameters.place()),
      task_scales_(model) {
  comm::require_same(comm_, comm::NamedValues().add("max_norm", max_norm).list(), "give all ranks the same bound");
}

double TrainStep::operator()(PipelinedBatch& now, PipelinedBatch* next, Index step) {
  auto& tables = model_.tables();
  auto& dense = model_.dense;
  const optim::ScheduleSettings& schedule = model_.embeddings.schedule();
  const int micro_batch = now.batch.micro_batch;
  const double rate = optim::scheduled_rate(schedule, model_.optimizer.settings().lr, step);
  phases().time("reduce", [&] { task_scales_.count(now.batch); });
  if (keeps_predictions_) predictions_.resize(now.batch.size * now.batch.tasks);
  const auto start = [&](PipelinedBatch& batch) {
    if (!batch.ids) batch.ids = tables.start(exec_, batch.batch.sparse, split(batch.batch));
  };
  const bool reads_ahead = next != nullptr && tables.has(embedding::ComputeKernel::disk);
  Phases::Sequence phase(phases());

  // docs/design/code.md shows what follows.
  start(now);
  if (reads_ahead) start(*next);
  if (reads_ahead) tables.prefetch(exec_, next->ids);
  const auto vectors = tables.forward(exec_, now.ids);
  if (next != nullptr) start(*next);
  const auto gradients = tables.gradient(exec_, now.ids);
  phase("reduce");
  auto& lane_gradients = reduce_.lane_sums();
  phase("dense");
  const auto lane_losses = dense.forward_backward(exec_, model_.parameters, input(now.batch, vectors, step),
                                                  gradients.pooled.data(), lane_gradients, gradients.unpooled);
  if (next != nullptr) tables.progress(exec_, next->ids);
  phase("reduce");
  gradient_ = reduce_(micro_batch);
  phase("check");
  find_nonfinite(micro_batch, gradients);
  phase("reduce");
  const double loss = batch_loss(micro_batch, comm::tree_reduce(comm_, lanes_, lane_losses.get()));
  phase("check");
  const bool last = micro_batch + 1 == lanes_.micro_batches();
  if (last) check_finite(loss, step);
  if (sums_rows_) tables.backward(exec_, std::move(now.ids), row_gradients_);
  if (!last) return loss;
  const float scale = clip(step);
  if (sums_rows_)
    tables.move(exec_, row_gradients_, schedule, step, scale);
  else
    tables.backward(exec_, std::move(now.ids), schedule, step);
  phase("optimizer");
  model_.move_dense(exec_, gradient_, rate, step, scale);
  if (next != nullptr) tables.progress(exec_, next->ids);
  return loss;
}

void TrainStep::predict(const data::Batch& batch, float* probabilities, float* towers) {
  auto ids = model_.tables().start(exec_, batch.sparse, split(batch), false);
  const auto vectors = model_.tables().forward(exec_, ids);
  model_.dense.predict(exec_, model_.parameters, input(batch, vectors, 0), probabilities, towers);
  model_.tables().groups().check();
}

network::DenseInput TrainStep::input(const data::Batch& batch, const sharding::BatchVectors<const float>& vectors,
                                     Index step) {
  network::DenseInput input{lanes_,
                            lanes_.of_rank(comm_.rank(), comm_.size(), batch.micro_batch),
                            batch.global_size,
                            batch.dense.data(),
                            vectors.pooled.data(),
                            batch.labels.data(),
                            batch.weights.data(),
                            model_.seed,
                            step,
                            keeps_predictions_ ? predictions_.data() : nullptr,
                            vectors.unpooled,
                            model_.tables().place()};
  if (batch.tasks != model_.dense.settings().labels()) input.labels = nullptr;  // samples to score
  if (step > 0) input.task_scales = task_scales_.data();
  return input;
}

double TrainStep::batch_loss(int micro_batch, double loss) {
  if (micro_batch == 0) losses_.clear();
  losses_.push_back(loss);
  return micro_batch + 1 < lanes_.micro_batches() ? loss : tree_sum(losses_);
}

void TrainStep::find_nonfinite(int micro_batch, const sharding::BatchVectors<float>& gradients) {
  const auto scan = [&](const auto& values) { looks_.add(model_.tables().place(), values.data(), std::ssize(values)); };
  scan(gradients.pooled);
  for (const jagged::JaggedVectors& sequence : gradients.unpooled) scan(sequence.values);
  // The dense gradient is the same on all ranks, so each rank searches a piece of it.
  const bool last = micro_batch + 1 == lanes_.micro_batches();
  const Index size = model_.dense.parameters(), begin = size * comm_.rank() / comm_.size();
  if (last) looks_.add(gradient_.place(), gradient_.data() + begin, size * (comm_.rank() + 1) / comm_.size() - begin);

  const std::vector<Index> found = looks_.found(exec_);
  model_.tables().groups().check();  // found() blocked until the device, and so its messages, had finished
  if (micro_batch == 0) bad_column_ = bad_sequence_ = -1;
  if (found[0] >= 0) bad_column_ = std::max(bad_column_, found[0] % model_.dense.pooled_width());
  for (std::size_t q = 0; q < gradients.unpooled.size(); ++q)
    if (found[1 + q] >= 0) bad_sequence_ = q;
  if (last) bad_parameter_ = found.back() < 0 ? -1 : begin + found.back();
}

float TrainStep::clip(Index step) {
  if (max_norm_ == 0.0) return 1.0f;
  ExactSum sum = row_gradients_.squares(exec_);
  // The dense gradient is the same on all ranks, so each rank squares a piece of it.
  const Index quads = (model_.dense.parameters() + 3) / 4;
  const auto border = [&](int rank) { return std::min(model_.dense.parameters(), quads * rank / comm_.size() * 4); };
  const Index begin = border(comm_.rank()), count = border(comm_.rank() + 1) - begin;
  const float* piece = gradient_.data() + begin;
  if (gradient_.place() == Place::device) {
    piece_.resize(count);
    copy(exec_, Place::device, piece, Place::host, piece_.data(), count);
    piece = piece_.data();
  }
  add_squares(piece, count, sum);
  comm_.sum(sum.words());
  gradient_norm_ = std::sqrt(sum.value());
  if (!std::isfinite(gradient_norm_))
    fail_diverged(step, "the norm of the gradients is not finite; lower the learning rate");
  return std::min(1.0, max_norm_ / (gradient_norm_ + 1e-6));  // 1e-6 as in torch.nn.utils.clip_grad_norm_
}

void TrainStep::check_finite(double loss, Index step) {
  const auto& dense = model_.dense;
  if (!std::isfinite(loss))
    fail_diverged(step, "the loss is ", std::isnan(loss) ? "not a number" : "infinite",
                  "; lower the learning rate or check the data");
  const Index size = dense.parameters();
  std::array<Index, 3> found{bad_parameter_ < 0 ? -1 : size - bad_parameter_, bad_column_, bad_sequence_};
  comm_.max(found);
  const Index offset = size - found[0], column = found[1];  // first parameter, last column over all ranks
  for (const network::Parameter& p : dense.layout())
    if (offset >= p.offset && offset < p.offset + p.rows * p.columns)
      fail_diverged(step, "the gradient of ", p.name, " is not finite; lower the learning rate");
  Index end = 0, sequences = 0;
  for (const embedding::EmbeddingBagConfig& table : model_.tables().tables())
    for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
      const bool bad = table.pools(f) ? column < (end += table.embedding_dim) && column >= 0 : sequences++ == found[2];
      if (bad)
        fail_diverged(step, "the gradient of table ", table.name, " (feature ", table.feature_names[f],
                      ") is not finite; lower the learning rate");
    }
}

}  // namespace tesserec::train
