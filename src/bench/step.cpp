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
  auto ids = tables.start(exec, batch.sparse, batch.global_size);
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

namespace {

/// Steps of one kind: warm-up, then repeats.
class Steps {
 public:
  Steps(const Context& context, train::Session& session, data::Source& source, bool ahead)
      : context_(context),
        session_(session),
        last_(count(context)),
        pipeline_(context.exec, std::ref(session.step), session.model.tables(), source, ahead) {}
  /// Returns the number of batches that they take.
  static Index count(const Context& context) {
    return Index{context.settings.steps} * (context.settings.repeats + 1) + 1;
  }

  /// Calls between() after each repeat. Returns the median seconds of a step, the slowest rank's.
  double measure(const std::function<void()>& between) {
    const int steps = context_.settings.steps;
    std::vector<double> seconds;
    for (int repeat = 0; repeat <= context_.settings.repeats; ++repeat) {
      const auto before = session_.step.phases().seconds();
      context_.comm.barrier();
      const double start = context_.now();
      for (int s = 0; s < steps; ++s) pipeline_(++step_, last_);
      const double all = context_.slowest(context_.now() - start);
      if (repeat == 0) continue;  // warm-up: buffers grow
      seconds.push_back(all / steps);
      between();
      const auto after = session_.step.phases().seconds();
      for (std::size_t p = 0; p < after.size(); ++p)
        phases_[after[p].first].push_back((after[p].second - (p < before.size() ? before[p].second : 0)) / steps);
    }
    pipeline_(++step_, last_);  // the batch ahead
    return median(std::move(seconds));
  }
  const data::Batch& batch() const { return pipeline_.batch(); }
  std::map<std::string, double> phases() const {
    std::map<std::string, double> medians;
    for (const auto& [name, each] : phases_) medians[name] = median(each);
    return medians;
  }

 private:
  const Context& context_;
  train::Session& session_;
  Index step_ = 0, last_;
  train::TrainPipelineSparseDist pipeline_;
  std::map<std::string, std::vector<double>> phases_;
};

}  // namespace

StepTimes measure_step(const Context& context, train::Session& session, data::Source& source) {
  const Index batches = Steps::count(context);
  Drawn drawn(context, source, int(batches));
  const bool ahead = session.job.train.pipeline && session.comm.size() > 1;
  StepTimes times;
  times.read_seconds = drawn.read_seconds();
  std::vector<double> peak_seconds;
  const MultiplyAdds peak = multiply_adds(session.model.dense.settings().precision);
  const auto run_peak = [&] { peak.run_all(context.exec); };
  const Index peak_calls = context.calls(run_peak);
  const auto& tables = session.model.tables();
  Steps steps(context, session, drawn, ahead);
  times.seconds = steps.measure([&] { peak_seconds.push_back(context.once(peak_calls, run_peak)); });
  times.phases = steps.phases();
  times.peak_flops = peak.all_flops(context.exec) / median(std::move(peak_seconds));
  times.counts = count_step(context.exec, session, steps.batch());
  times.counts.bytes_between = double(tables.bytes().between_nodes) / double(batches);
  times.counts.bytes_inside = double(tables.bytes().all) / double(batches) - times.counts.bytes_between;
  if (ahead) times.seconds_in_turn = Steps(context, session, drawn, false).measure([] {});
  return times;
}

}  // namespace tesserec::bench
