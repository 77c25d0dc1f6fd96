// SPDX-License-Identifier: Apache-2.0
#include "step.hpp"

#include <functional>

#include "drawn.hpp"
#include <tesserec/train/pipeline.hpp>

namespace tesserec::bench {

StepCounts count_step(const Exec& exec, train::Session& session, const data::Batch& batch) {
  StepCounts counts;
  counts.samples = batch.size;
  auto& tables = session.model.tables();
  auto ids = tables.start(batch.sparse, batch.global_size);
  tables.forward(exec, ids);
  const std::vector<embedding::AskedShard>& asked = ids.asked();
  for (std::size_t s = 0; s < asked.size(); ++s) {
    const double bytes = sizeof(float) * double(tables.shards()[s].rows->dim());
    std::vector<Index> ids;
    for (const auto& run : asked[s].bags)
      for (const embedding::Bags& bags : run) ids.insert(ids.end(), bags.ids, bags.ids + bags.total());
    const double all = ids.size();
    std::sort(ids.begin(), ids.end());
    const double distinct = std::unique(ids.begin(), ids.end()) - ids.begin();
    counts.ids += all;
    counts.row_bytes += all * bytes;
    counts.touched += distinct;
    counts.touched_bytes += distinct * bytes;
  }
  return counts;
}

StepTimes measure_step(const Context& context, train::Session& session, data::Source& source) {
  const int steps = context.settings.steps, repeats = context.settings.repeats;
  const Index last = Index{steps} * (repeats + 1) + 1;
  Drawn drawn(context, source, int(last));
  train::TrainPipelineSparseDist pipeline(context.exec, std::ref(session.step), session.model.tables(), drawn,
                                          session.job.train.pipeline && session.comm.size() > 1);
  StepTimes times;
  times.read_seconds = drawn.read_seconds();
  std::vector<double> seconds, peak_seconds;
  std::map<std::string, std::vector<double>> phases;
  const MultiplyAdds peak = multiply_adds(session.model.dense.settings().precision);
  const auto run_peak = [&] { peak.run_all(context.exec); };
  const Index peak_calls = context.calls(run_peak);
  Index step = 0;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    const auto before = session.step.phases().seconds();
    context.comm.barrier();
    const double start = context.now();
    for (int s = 0; s < steps; ++s, ++step) pipeline(step + 1, last);
    const double all = context.slowest(context.now() - start);
    if (repeat == 0) continue;  // warm-up: buffers grow
    seconds.push_back(all / steps);
    peak_seconds.push_back(context.once(peak_calls, run_peak));
    const auto after = session.step.phases().seconds();
    for (std::size_t p = 0; p < after.size(); ++p)
      phases[after[p].first].push_back((after[p].second - (p < before.size() ? before[p].second : 0)) / steps);
  }
  pipeline(step + 1, last);  // the batch ahead
  times.seconds = median(std::move(seconds));
  times.peak_flops = peak.all_flops(context.exec) / median(std::move(peak_seconds));
  for (auto& [name, each] : phases) times.phases[name] = median(std::move(each));
  times.counts = count_step(context.exec, session, pipeline.batch());
  const auto& tables = session.model.tables();
  times.counts.bytes_between = double(tables.bytes_between_nodes()) / double(last);
  times.counts.bytes_inside = double(tables.bytes_sent()) / double(last) - times.counts.bytes_between;
  return times;
}

}  // namespace tesserec::bench
