// SPDX-License-Identifier: Apache-2.0
/// A multi-gate mixture of experts for two tasks (Ma et al., KDD 2018), shared by mmoe, scorer and own_layer: will a
/// visitor click, and will she buy?
#pragma once

#include <memory>

#include <tesserec/core/elementary.hpp>
#include <tesserec/data.hpp>
#include <tesserec/layers.hpp>
#include <tesserec/losses.hpp>
#include <tesserec/model.hpp>
#include <tesserec/train.hpp>

namespace two_tasks {

using namespace tesserec;

constexpr Index users = 800, items = 300, numbers = 4, dim = 8, experts = 3, batch_size = 128;

/// A sample's numbers e^x / sum e^x. Sums run in the order that is written here, so that the bits are everywhere the
/// same.
class Softmax final : public layers::Layer {
 public:
  explicit Softmax(Index width) : width_(width) {}
  Index width() const override { return width_; }
  std::string describe() const override { return std::to_string(width_) + " wide"; }
  layers::Flops flops() const override { return {20.0 * double(width_), 4.0 * double(width_), 0}; }
  bool multiplies_matrices() const override { return false; }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    const Rows<const float> in = batch.inputs[0];
    const Index width = width_;  // a loop's body reads no member
    over_numbers(
        where, "two_tasks::softmax", batch.rows, KOKKOS_LAMBDA(Index r) {
          const float* const x = in[r];
          float* const y = out[r];
          float most = x[0], sum = 0;
          for (Index c = 1; c < width; ++c) most = x[c] > most ? x[c] : most;
          for (Index c = 0; c < width; ++c) sum += y[c] = elementary::exp(x[c] - most);
          for (Index c = 0; c < width; ++c) y[c] /= sum;
        });
  }
  void backward(const Where& where, const Batch& batch, Rows<const float> out, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    const Rows<float> to = input_gradients[0];
    const Index width = width_;
    if (to.data == nullptr) return;  // nobody wants it
    over_numbers(
        where, "two_tasks::softmax_back", batch.rows, KOKKOS_LAMBDA(Index r) {
          float along = 0;
          for (Index c = 0; c < width; ++c) along += upstream[r][c] * out[r][c];
          for (Index c = 0; c < width; ++c) to[r][c] = out[r][c] * (upstream[r][c] - along);
        });
  }

 private:
  Index width_;
};

/// Cross entropy of both tasks, added. A batch has one label a sample: click + 2 * purchase.
class TwoTasks final : public losses::LossFunction {
 public:
  std::string refuses(Index width) const override { return width == 2 ? "" : "two logits, of click and purchase"; }
  void evaluate(const Where& where, const Batch& batch, double* losses, Rows<float> gradient) const override {
    over_numbers(
        where, "two_tasks::loss", batch.rows, KOKKOS_LAMBDA(Index r) {
          losses[r] = 0;
          for (int task = 0; task < 2; ++task) {
            const double label = int(batch.labels[r]) >> task & 1, logit = batch.out[r][task];
            const double p = elementary::sigmoid(logit), away = label > 0 ? -logit : logit;
            const double tail = elementary::log1p(elementary::exp(away > 0 ? -away : away));
            losses[r] += batch.weight(r) * ((away > 0 ? away : 0) + tail);
            gradient[r][task] = float(batch.weight(r) * (p - label) / double(batch.samples));
          }
        });
  }
  void predict(const Where& where, Index rows, Rows<const float> out, float* probabilities) const override {
    over_numbers(
        where, "two_tasks::predict", rows,
        KOKKOS_LAMBDA(Index r) { probabilities[r] = float(elementary::sigmoid(double(out[r][0]))); });
  }
};

/// Registers the types; called once, before the session is made.
inline void add_types() {
  layers::add_layer_type({"softmax", "shares that add to 1.", {}, [](const layers::LayerSettings&, const auto& inputs) {
                            return std::make_unique<Softmax>(inputs.at(0).width());
                          }});
  losses::add_loss_type({"two_tasks",
                         "cross entropy of click and purchase.",
                         {},
                         [](const losses::LossSettings&) { return std::make_unique<TwoTasks>(); },
                         {0.0f, 3.0f}});
}

/// Each expert reads all; each task mixes the experts by a gate of its own and has a tower of its own.
inline model::Settings settings() {
  model::Settings settings;
  settings.type = "network";
  settings.embedding_dim = dim;
  settings.loss = "two_tasks";
  auto& layers = settings.layers;
  layers = {{.name = "all", .type = "cat", .inputs = {"dense", "pooled"}}};
  layers::LayerSettings mixed{.name = "experts", .type = "cat"};
  for (Index e = 0; e < experts; ++e) {
    mixed.inputs.push_back("expert_" + std::to_string(e));
    layers.push_back({.name = mixed.inputs.back(), .type = "mlp", .inputs = {"all"}, .widths = {16, dim}});
  }
  layers.push_back(mixed);  // a matrix [experts, dim] of each sample
  for (const std::string task : {"click", "purchase"}) {
    layers.push_back({.name = task + "_gate", .type = "mlp", .inputs = {"all"}, .widths = {experts}});
    layers.push_back({.name = task + "_shares", .type = "softmax", .inputs = {task + "_gate"}});
    layers.push_back(
        {.name = task + "_mix", .type = "product", .inputs = {task + "_shares", "experts"}, .dim = experts});
    layers.push_back({.name = task, .type = "mlp", .inputs = {task + "_mix"}, .widths = {8, 1}});
  }
  layers.push_back({.name = "logits", .type = "cat", .inputs = {"click", "purchase"}});
  return settings;
}

/// Returns the job that mmoe trains in `folder`, and whose model scorer takes from there.
inline train::Job make_job(const std::string& folder) {
  train::Job job;
  job.run.output = folder;
  job.run.seed = 3;
  job.model = settings();
  job.tables = {{.name = "user", .num_embeddings = users, .embedding_dim = dim, .feature_names = {"user"}},
                {.name = "items",
                 .num_embeddings = items,
                 .embedding_dim = dim,
                 .feature_names = {"items"},
                 .pooling = embedding::PoolingType::mean}};
  job.train.batch_size = batch_size;
  job.train.lanes = 8;  // part of the bits: so many ranks at most
  job.train.shuffle = false;
  job.optimizer.sparse = {.type = optim::Type::rowwise_adagrad, .lr = 0.1};
  job.optimizer.dense = {.type = optim::Type::adam, .lr = 0.003};
  return job;
}

/// A visit, and what the columns of a source or file of visits are called.
struct Visit {
  Index user = 0;
  std::vector<Index> items = {};
  float numbers[two_tasks::numbers] = {};
  float label = 0;  ///< click + 2 * purchase
};
inline data::SourceInfo visits_info(Index samples) {
  data::SourceInfo info;
  info.description = "visits";
  info.samples = samples;
  info.dense_features = numbers;
  info.dense_names = {"hour", "price", "pages", "age"};
  info.features = {"user", "items"};
  info.rows = {users, items};
  return info;
}

/// Makes a batch of this rank's visits; `visit(s)` gives those of `samples` of a global batch of `global_size`.
template <class Visits>
void fill(data::Batch& batch, Range samples, Index global_size, const Visits& visit) {
  Index ids = 0;
  for (Index s = samples.begin; s < samples.end; ++s) ids += 1 + std::ssize(visit(s).items);
  data::reserve_batch(batch, samples.size(), global_size, numbers, {"user", "items"});
  data::reserve_values(batch, ids, false);
  Index at = 0, bag = 0;
  batch.sparse.offsets(bag++) = 0;
  for (Index s = samples.begin; s < samples.end; ++s) {  // key-major: first all users
    const Visit one = visit(s);
    const Index row = s - samples.begin;
    for (Index n = 0; n < numbers; ++n) batch.dense(row, n) = one.numbers[n];
    batch.labels(row) = one.label;
    batch.sparse.values(at++) = one.user;
    batch.sparse.offsets(bag++) = at;
  }
  for (Index s = samples.begin; s < samples.end; ++s) {
    for (const Index item : visit(s).items) batch.sparse.values(at++) = item;
    batch.sparse.offsets(bag++) = at;
  }
}

}  // namespace two_tasks
