// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <cassert>
#include <functional>
#include <map>
#include <string>

#include "step.hpp"
#include <tesserec/core/index.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/train/pipeline.hpp>

namespace tesserec::bench {
namespace {

/// Profile of the Kokkos kernels that run during its lifetime; it waits for each kernel. Only one object may exist.
class KernelTimes {
 public:
  KernelTimes();
  ~KernelTimes();
  KernelTimes(const KernelTimes&) = delete;

  struct Time {
    double seconds = 0;
    Index launches = 0;
  };
  /// Returns the times by label, without "tesserec::" and " [device]".
  const std::map<std::string, Time>& times() const { return times_; }

 private:
  struct Callbacks;
  std::map<std::string, Time> times_;
};

KernelTimes* listening = nullptr;  // profile that the callbacks fill, since Kokkos passes them no object
std::string running;
double since = 0;

std::string short_name(std::string label) {
  constexpr std::string_view first = "tesserec::", last = " [device]";
  if (label.starts_with(first)) label.erase(0, first.size());
  if (label.ends_with(last)) label.resize(label.size() - last.size());
  return label;
}

struct KernelTimes::Callbacks {
  static void begin(const char* label, std::uint32_t, std::uint64_t*) {
    Kokkos::fence();
    running = short_name(label);
    since = seconds_now();
  }
  static void end(std::uint64_t) {
    Kokkos::fence();
    Time& time = listening->times_[running];
    time.seconds += seconds_now() - since;
    ++time.launches;
  }
  static void set(bool on) {
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(on ? begin : nullptr);
    set_begin_parallel_reduce_callback(on ? begin : nullptr);
    set_begin_parallel_scan_callback(on ? begin : nullptr);
    set_end_parallel_for_callback(on ? end : nullptr);
    set_end_parallel_reduce_callback(on ? end : nullptr);
    set_end_parallel_scan_callback(on ? end : nullptr);
  }
};

KernelTimes::KernelTimes() {
  assert(listening == nullptr);
  listening = this;
  Callbacks::set(true);
}

KernelTimes::~KernelTimes() {
  Callbacks::set(false);
  listening = nullptr;
}

/// Returns the bytes that an update of the touched rows must move: weights and states read and written, gradients, uses
/// of ids.
double update_bytes(const train::Session& session, const StepCounts& counts) {
  constexpr double use_bytes = 16;
  double bytes = 4 * counts.samples * double(session.model.dense.pooled_width()) + use_bytes * counts.ids;
  const auto& shards = session.model.tables().shards();
  if (shards.empty()) return bytes;
  double arrays = 1, numbers = 0;
  for (const optim::StateInfo& state : optim::states(shards.front().rows->optimizer().type))
    state.per_row ? numbers += 1 : arrays += 1;
  return bytes + 2 * (arrays * counts.touched_bytes + 4 * numbers * counts.touched);
}

}  // namespace

void measure_kernels(const Context& context, train::Session& session, data::Source& source,
                     std::vector<Figure>& figures) {
  const DeviceLimits limits = measure_device(context, figures);
  measure_products(context, session, figures);
  const int warm_up = 2, steps = context.settings.steps;
  PrefetchedSource drawn(context, source, warm_up + steps);
  train::TrainPipelineSparseDist pipeline(context.exec, std::ref(session.step), session.model.tables(), drawn, false);
  for (Index step = 1; step <= warm_up; ++step) pipeline(step, warm_up + steps);
  std::map<std::string, KernelTimes::Time> times;
  {
    const KernelTimes listener;
    for (Index step = 1; step <= steps; ++step) pipeline(warm_up + step, warm_up + steps);
    times = listener.times();
  }
  const StepCounts counts = count_step(context.exec, session, pipeline.batch());
  const double vectors = 4 * counts.samples * double(session.model.dense.pooled_width());
  double total = 0;
  for (const auto& [name, time] : times) total += time.seconds / steps;
  for (const auto& [name, time] : times) {
    const double seconds = time.seconds / steps;
    if (name == "embedding::pool")
      figures.push_back({"kernels", name, (counts.row_bytes + 8 * counts.ids + vectors) / seconds, "bytes/s",
                         limits.read, "device memory, read", seconds});
    else if (name == "embedding::move_runs")
      figures.push_back({"kernels", name, update_bytes(session, counts) / seconds, "bytes/s", limits.copy,
                         "device memory, copied", seconds});
    else if (seconds >= 0.01 * total)
      figures.push_back({"kernels", name, double(time.launches) / time.seconds, "launches/s", 0, "", seconds});
  }
  figures.push_back(
      {"kernels", "all kernels of a step, one after the other", counts.samples / total, "samples/s", 0, "", total});
}

}  // namespace tesserec::bench
