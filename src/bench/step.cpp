// SPDX-License-Identifier: Apache-2.0
#include "step.hpp"

#include <functional>

#include <tesserec/core/error.hpp>
#include <tesserec/train/pipeline.hpp>

namespace tesserec::bench {

PrefetchedSource::PrefetchedSource(const Context& context, data::Source& from, int count) : info_(from.info()) {
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) {
    const double start = context.now();
    if (!from.next(batches_.emplace_back(context.exec))) {
      from.seek(++epoch_, 0);
      if (!from.next(batches_.back())) fail("the data have no samples");
    }
    seconds.push_back(context.now() - start);
  }
  read_seconds_ = context.slowest(median(std::move(seconds)));
}

bool PrefetchedSource::next(data::Batch& batch) {
  if (next_ == batches_.size()) return false;
  batch = batches_[next_++];
  return true;
}

StepCounts count_step(const Exec& exec, train::Session& session, const data::Batch& batch) {
  StepCounts counts;
  counts.samples = batch.size;
  auto& tables = session.model.tables();
  auto ids = tables.start(exec, batch.sparse, batch.global_size);
  tables.forward(exec, ids);
  const std::vector<embedding::ShardLookups>& lookups = ids.lookups();
  for (std::size_t s = 0; s < lookups.size(); ++s) {
    const double bytes = sizeof(float) * double(tables.shards()[s].rows->dim());
    std::vector<Index> ids;
    for (const auto& run : lookups[s].bags)
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

/// Steps with or without the pipeline: warm-up, then repeats.
class Steps {
 public:
  Steps(const Context& context, train::Session& session, data::Source& source, bool ahead)
      : context_(context),
        session_(session),
        last_(count(context)),
        pipeline_(context.exec, std::ref(session.step), session.model.tables(), source, ahead) {}
  /// Returns the number of batches that measure() takes.
  static Index count(const Context& context) {
    return Index{context.settings.steps} * (context.settings.repeats + 1) + 1;
  }

  /// Measures the repeats and calls between() after each. Returns the median seconds of a step on the slowest rank.
  /// Collective.
  double measure(const std::function<void()>& between) {
    const int steps = context_.settings.steps;
    std::vector<double> seconds;
    for (int repeat = 0; repeat <= context_.settings.repeats; ++repeat) {
      const auto before = session_.step.phases().seconds();
      context_.comm.barrier();
      const double start = context_.now();
      for (int s = 0; s < steps; ++s) pipeline_(++step_, last_);
      const double all = context_.slowest(context_.now() - start);
      if (repeat == 0) continue;  // the first repeat is a warm-up, in which buffers grow
      seconds.push_back(all / steps);
      between();
      const auto after = session_.step.phases().seconds();
      for (std::size_t p = 0; p < after.size(); ++p)
        phases_[after[p].first].push_back((after[p].second - (p < before.size() ? before[p].second : 0)) / steps);
    }
    pipeline_(++step_, last_);  // uses the batch that was read ahead
    return median(std::move(seconds));
  }
  const data::Batch& batch() const { return pipeline_.batch(); }
  std::map<std::string, double> phases() const {
    std::map<std::string, double> medians;
    for (const auto& [name, seconds] : phases_) medians[name] = median(seconds);
    return medians;
  }

 private:
  const Context& context_;
  train::Session& session_;
  Index step_ = 0, last_;
  train::TrainPipelineSparseDist pipeline_;
  std::map<std::string, std::vector<double>> phases_;
};

double phase(const StepTimes& times, std::initializer_list<const char*> names) {
  double sum = 0;
  for (const char* name : names)
    if (const auto found = times.phases.find(name); found != times.phases.end()) sum += found->second;
  return sum;
}

}  // namespace

StepTimes measure_step(const Context& context, train::Session& session, data::Source& source) {
  const Index batches = Steps::count(context);
  PrefetchedSource drawn(context, source, int(batches));
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
  if (ahead) times.seconds_without_pipeline = Steps(context, session, drawn, false).measure([] {});
  return times;
}

void add_step_figures(const train::Session& session, const StepTimes& times, const Limits& limits, Report& report) {
  const StepCounts& n = times.counts;
  const auto add = [&](const char* name, double seconds, double work, const char* unit, double limit,
                       const char* bound) {
    if (seconds > 0) report.figures.push_back({"step", name, work / seconds, unit, limit, bound, seconds});
  };
  const auto& tables = session.model.tables();
  const double flops = session.model.dense.flops_per_sample() * n.samples;
  const double ranks = session.comm.size();
  add("dense half, forward and backward", phase(times, {"dense"}), flops, "FLOP/s", times.peak_flops, "multiply-add");
  const double row = n.ids > 0 ? n.row_bytes / n.ids : 64;
  add("lookup", phase(times, {"lookup"}), n.ids, "rows/s", limits.reads_of(row), "random rows read");

  // Weights and each state of a row lie at different places in memory, so each array costs a random access.
  double row_seconds = 0;
  if (limits.row_updates[0] > 0 && !tables.shards().empty()) {
    const auto& first = *tables.shards().front().rows;
    row_seconds = 1 / limits.updates_of(row);
    for (const optim::StateInfo& state : optim::states(first.optimizer().type))
      row_seconds += 1 / limits.updates_of(state.per_row ? 4 : row);
  }
  add("update of the touched rows", phase(times, {"update"}), n.touched, "rows/s",
      row_seconds > 0 ? 1 / row_seconds : 0, "random rows updated");
  add("order of the ids", phase(times, {"sort ids"}), n.ids * sizeof(Index), "bytes/s", limits.read, "stream read");

  // Ids move once, vectors and gradients once each: over the wire if they leave the rank, else by one copy.
  const double vectors = 2 * n.samples * 4 * double(session.model.dense.pooled_width());
  const double moved = vectors + n.ids * sizeof(Index);
  double least = 2 * moved / ranks / std::max(1.0, limits.triad);
  if (limits.inside_bytes > 0) least += n.bytes_inside / limits.inside_bytes;
  if (limits.between_bytes > 0) least += n.bytes_between / limits.between_bytes;
  const char* const bound = ranks > 1 ? "all-to-all and copies" : "one copy";
  add("exchange of ids, vectors and gradients", phase(times, {"send ids", "return rows", "send gradients"}), moved,
      "bytes/s", limits.triad > 0 ? moved / least : 0, bound);
  const double dense = 4 * double(session.model.dense.parameters());
  add("sum and check of the dense gradient", phase(times, {"reduce", "check"}), dense, "bytes/s", limits.read,
      "stream read");
  add("dense optimizer", phase(times, {"optimizer"}), 3 * dense / session.model.sharers(), "bytes/s", limits.triad,
      "stream triad");
  report.step_seconds = times.seconds;
  report.samples_per_step = session.job.train.batch_size;
  const double samples = report.samples_per_step / times.seconds / ranks;  // samples/s of one rank
  const double model = session.model.dense.flops_per_sample();
  report.step_fraction = samples * model / times.peak_flops;
  report.figures.push_back(
      {"whole", "whole step, a rank", samples, "samples/s", times.peak_flops / model, "multiply-add", 0});
  if (times.seconds_without_pipeline > 0)
    report.figures.push_back({"whole", "whole step, a rank, without train.pipeline",
                              report.samples_per_step / times.seconds_without_pipeline / ranks, "samples/s", 0, "", 0});
  report.figures.push_back(
      {"whole", "source of batches, a rank", n.samples / times.read_seconds, "samples/s", 0, "", 0});
  double lost = 0;
  for (const Figure& figure : report.figures)
    if (figure.group == "step" && figure.limit > 0 && figure.step_seconds * (1 - figure.fraction()) > lost) {
      lost = figure.step_seconds * (1 - figure.fraction());
      report.bottleneck = figure.name;
    }
}

}  // namespace tesserec::bench
