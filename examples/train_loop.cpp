// SPDX-License-Identifier: Apache-2.0
// A DLRM in a loop of one's own: generated clicks, ids one batch ahead, a schedule, metrics before and after.
#include <functional>
#include <iostream>

#include <tesserec/comm.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics.hpp>
#include <tesserec/train.hpp>

using namespace tesserec;

namespace {

/// Metrics over the evaluation samples of all ranks. Collective.
metrics::BinaryMetrics evaluate(const comm::Communicator& world, train::TrainStep& step, data::Source& source) {
  std::vector<double> scores;
  std::vector<float> labels, found;
  source.seek(0, 0);
  for (data::Batch batch{Exec()}; source.next(batch);) {
    found.resize(batch.size);
    step.predict(batch, found.data());
    scores.insert(scores.end(), found.begin(), found.end());
    labels.insert(labels.end(), batch.labels.data(), batch.labels.data() + batch.size);
  }
  return metrics::binary_metrics(world, scores, labels);
}

int run(const comm::Communicator& world) {
  const Exec exec;
  data::Settings clicks;
  clicks.synthetic.kind = data::SyntheticKind::planted;
  clicks.synthetic.samples = 20'000;
  clicks.synthetic.evaluate_samples = 4'000;
  clicks.synthetic.rows = {2000, 500, 30};
  clicks.synthetic.dense_features = 6;
  const data::SourceInfo info = data::synthetic_info(clicks.synthetic, data::Use::train);

  std::vector<embedding::EmbeddingBagConfig> tables;
  for (std::size_t f = 0; f < info.features.size(); ++f)
    tables.push_back({.name = info.features[f],
                      .num_embeddings = info.rows[f],
                      .embedding_dim = 8,
                      .feature_names = {info.features[f]}});
  model::Settings settings;  // of a DLRM; its members have the names of a deck's [model]
  settings.embedding_dim = 8;
  settings.bottom = {32, 8};
  settings.top = {32, 1};
  sharding::EmbeddingBagCollectionSharder sharder;
  sharder.fused = {.type = optim::Type::rowwise_adagrad, .lr = 0.2};
  sharder.dense = {.type = optim::Type::adam, .lr = 0.01};
  sharding::ParallelOptions options;
  options.lanes = 4;
  options.seed = 1;
  options.schedule.warmup_steps = 10;
  options.features = info.features;
  model::ShardedModel model(exec, world, settings, info.dense_features, embedding::EmbeddingBagCollection(tables),
                            options, sharder);

  // The sources deal samples by the model's lanes.
  const data::Deal deal = train::deal_of(model, /*batch_size=*/256, /*shuffle=*/true);
  const auto source = data::make_source(clicks, data::Use::train, deal);
  const auto held_out = data::make_source(clicks, data::Use::evaluate, train::deal_of(model, 256, false));

  train::TrainStep step(exec, model);
  const double before = evaluate(world, step, *held_out).auc;
  train::TrainPipelineSparseDist pipeline(exec, std::ref(step), model.tables(), *source, true);
  pipeline.seek(0, 0);
  const Index last = deal.batches(clicks.synthetic.samples);
  for (Index s = 1; s <= last; ++s) pipeline(s, last);
  const metrics::BinaryMetrics after = evaluate(world, step, *held_out);
  const std::string digest = train::digest(exec, model);  // collective
  if (world.rank() == 0)
    std::cout << "AUC " << significant(before, 4) << ", after " << last << " steps " << significant(after.auc, 4)
              << ", digest " << digest << std::endl;
  return after.auc > 0.7 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return comm::run(argc, argv, run); }
