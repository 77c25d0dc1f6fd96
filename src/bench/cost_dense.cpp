// SPDX-License-Identifier: Apache-2.0
// Constants of the dense half: its chain in both precisions, on three models with three pairs of samples and lanes
// each; and a step with next to no work.
#include "costs.hpp"
#include "dense_chain.hpp"
#include <tesserec/model/dense_cost.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/train/step.hpp>

namespace tesserec::bench {
namespace {

/// Returns the seconds of one step of the dense half by one rank alone: chain, sum over the lanes, optimizer. Before
/// each step it fills the caches with other values, as the tables do in training.
double chain_seconds(const Context& context, const network::Network& dense, Index samples, const Lanes& lanes) {
  const Exec& exec = context.exec;
  DenseChain chain(exec, dense, lanes, 0, 1, samples);
  optim::DenseOptimizer optimizer(exec, {}, dense.parameters(), nullptr, {}, chain.parameters().place());
  const Vector<float> buffer = numbers(exec, Index{8} << 20);  // 32 MiB, more than a rank's share of a cache
  Index step = 0;
  const auto timed_step = [&] {
    for (Index i = 0; i < std::ssize(buffer); ++i) buffer.data()[i] += 1.0f;
    keep(buffer.data()[0]);
    const double start = context.now();
    chain.run();
    optimizer.step(exec, chain.parameters(), chain.sums().sum(0), 1e-6, ++step, {0, dense.parameters()});
    return context.now() - start;
  };
  timed_step();
  const Index steps = std::clamp(std::ceil(context.settings.seconds / context.slowest(timed_step())), 1.0, 1e4);
  std::vector<double> repeats;
  for (int repeat = 0; repeat < context.settings.repeats; ++repeat) {
    context.comm.barrier();
    double total = 0;
    for (Index s = 0; s < steps; ++s) total += timed_step();
    repeats.push_back(context.slowest(total) / double(steps));
  }
  return median(std::move(repeats));
}

double least_step_seconds(const Context& context) {
  const comm::Communicator self = comm::Communicator::self();
  planning::ParameterSharding sharding;
  sharding.type = planning::ShardingType::table_wise;
  sharding.shards = {{0, {0, embedding::block_count}, {0, 4}}};
  model::Settings settings;
  settings.embedding_dim = 4;
  settings.bottom = {4};
  settings.top = {1};
  sharding::ParallelOptions options;
  options.plan = {sharding};
  options.lanes = 1;
  model::ShardedModel model(context.exec, self, settings, 1,
                            embedding::EmbeddingBagCollection({embedding::table_config("t", 4, 4)}), options, {});
  train::TrainStep step(context.exec, model);
  train::PipelinedBatch now{data::Batch(context.exec), {}};
  data::Batch& batch = now.batch;
  data::reserve_batch(batch, 1, 1, 1, {"t"});
  data::reserve_values(batch, 1, false);
  batch.dense(0, 0) = 1;
  batch.labels(0) = 1;
  batch.sparse.offsets(0) = 0;
  batch.sparse.offsets(1) = 1;
  batch.sparse.values(0) = 0;
  Index at = 0;
  return context.seconds([&] { step(now, nullptr, ++at); });
}

}  // namespace

void measure_dense_costs(const Context& context, Report& report) {
  constexpr Index dense_features = 13;
  struct Size {
    Index features, dim;
    Index samples;                   ///< samples of a batch; for two sizes the pooled vectors exceed a cache
    std::vector<Index> bottom, top;  // widths of the mlps without their last layers
  };
  const std::vector<Size> sizes = {{26, 16, 1024, {512, 256, 64}, {512, 256}},
                                   {26, 128, 1024, {512, 256, 64}, {512, 256}},
                                   {12, 32, 8192, {32}, {32}}};
  std::vector<std::vector<double>> a;
  std::vector<double> t;
  for (const products::Precision precision : {products::Precision::fp32, products::Precision::bf16})
    for (const auto& [features, dim, batch, bottom, top] : sizes) {
      network::Settings settings;
      settings.precision = precision;
      settings.embedding_dim = dim;
      settings.bottom = bottom;
      settings.bottom.push_back(dim);
      settings.top = top;
      settings.top.push_back(1);
      const network::Network dense(settings, dense_features, std::vector<Index>(features, dim));
      for (const auto& [samples, count] : {std::pair<Index, int>{batch, 4}, {batch, 1}, {batch / 8, 2}}) {
        const Lanes lanes(count);
        const model::DenseWork work = model::dense_work(dense, lanes, 1, 1, samples);
        const bool bf16 = precision == products::Precision::bf16;
        const double fp32_flops = bf16 ? 0.0 : work.product_flops;
        const double bf16_flops = bf16 ? work.product_flops : 0.0;
        a.push_back({fp32_flops, bf16_flops, work.other_flops, work.vector_bytes, work.gradient_bytes});
        t.push_back(chain_seconds(context, dense, samples, lanes));
      }
    }
  const std::vector<double> rates = fit(a, t);
  set_rate(report, "dense_flops", rates[0]);
  set_rate(report, "bf16_flops", rates[1]);
  set_rate(report, "interaction_flops", rates[2]);
  set_rate(report, "activation_bytes", rates[3]);
  set_rate(report, "dense_bytes", rates[4]);
  report.costs.step_seconds = least_step_seconds(context);
  report.cost_keys.push_back("step_seconds");
}

}  // namespace tesserec::bench
