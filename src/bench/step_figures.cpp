// SPDX-License-Identifier: Apache-2.0
#include "step.hpp"

namespace tesserec::bench {
namespace {

double phase(const StepTimes& times, std::initializer_list<const char*> names) {
  double sum = 0;
  for (const char* name : names)
    if (const auto found = times.phases.find(name); found != times.phases.end()) sum += found->second;
  return sum;
}

}  // namespace

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

  // Each array that a row has, its weights and its states, is a place of its own in memory.
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

  // Ids once, vectors and gradients once each way: through the wire where they leave, else one copy.
  const double vectors = 2 * n.samples * 4 * double(session.model.dense.pooled_width());
  const double moved = vectors + n.ids * sizeof(Index);
  double least = 2 * moved / ranks / std::max(1.0, limits.triad);
  if (limits.inside_bytes > 0) least += n.bytes_inside / limits.inside_bytes;
  if (limits.between_bytes > 0) least += n.bytes_between / limits.between_bytes;
  const char* const by = ranks > 1 ? "all-to-all and copies" : "one copy";
  add("exchange of ids, vectors and gradients", phase(times, {"send ids", "return rows", "send gradients"}), moved,
      "bytes/s", limits.triad > 0 ? moved / least : 0, by);
  const double dense = 4 * double(session.model.dense.parameters());
  add("sum and check of the dense gradient", phase(times, {"reduce", "check"}), dense, "bytes/s", limits.read,
      "stream read");
  add("dense optimizer", phase(times, {"optimizer"}), 3 * dense / session.model.sharers(), "bytes/s", limits.triad,
      "stream triad");
  report.step_seconds = times.seconds;
  report.samples_per_step = session.job.train.batch_size;
  const double samples = report.samples_per_step / times.seconds / ranks;  // of one rank
  const double model = session.model.dense.flops_per_sample();
  report.step_fraction = samples * model / times.peak_flops;
  report.figures.push_back(
      {"whole", "whole step, a rank", samples, "samples/s", times.peak_flops / model, "multiply-add", 0});
  if (times.seconds_in_turn > 0)
    report.figures.push_back({"whole", "whole step, a rank, without train.pipeline",
                              report.samples_per_step / times.seconds_in_turn / ranks, "samples/s", 0, "", 0});
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
