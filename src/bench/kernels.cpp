// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <functional>

#include "drawn.hpp"
#include "kernel_times.hpp"
#include "step.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/upload.hpp>
#include <tesserec/train/pipeline.hpp>

namespace tesserec::bench {
namespace {

struct alignas(16) Words {
  std::uint64_t a, b;
};

struct ReadWords {
  const Words* from;
  KOKKOS_INLINE_FUNCTION void operator()(Index i, std::uint64_t& sum) const { sum += from[i].a ^ from[i].b; }
};
struct CopyWords {
  const Words* from;
  Words* to;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const { to[i] = from[i]; }
};

struct DeviceLimits {
  double read, copy;  // bytes/s
};

/// Of the memory where kernels work; up and down from and to pinned memory of the host.
DeviceLimits measure_device(const Context& context, std::vector<Figure>& figures) {
  const Device device = device_of(context.exec);
  const Index n = context.settings.memory / Index{2 * sizeof(Words)}, bytes = n * Index{sizeof(Words)};
  DeviceVector<Words> from, to;
  PinnedVector<Words> host;
  reserve_device(device, from, "tesserec::bench::from", n);
  reserve_device(device, to, "tesserec::bench::to", n);
  fill_on(device, "tesserec::bench::fill", from.data(), n, Words{1, 2});
  const Index some = std::min(n, Index{1} << 24);  // 256 MiB
  reserve_pinned(host, "tesserec::bench::host", some);
  std::fill_n(host.data(), some, Words{3, 4});
  DeviceLimits limits{};
  limits.read = double(bytes) / context.seconds([&] {
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce(on_device("tesserec::bench::read"), DeviceRange(device, 0, n), ReadWords{from.data()}, sum);
    keep(sum);
  });
  const auto rate = [&](Index moved, const auto& body) {
    return double(moved) / context.seconds([&] { body(), device.fence(); });
  };
  limits.copy = rate(2 * bytes, [&] {
    over_numbers(device, "tesserec::bench::copy", n, CopyWords{from.data(), to.data()});
  });
  const Index there = some * Index{sizeof(Words)};
  const double up = rate(there, [&] { copy_to_device(device, host.data(), to.data(), some); });
  const double down = rate(there, [&] { copy_to_host(device, to.data(), host.data(), some); });
  const auto add = [&](const char* name, double bytes_a_second) {
    figures.push_back({"kernels", name, bytes_a_second, "bytes/s", 0, "", 0});
  };
  add("device memory, read", limits.read);
  add("device memory, copied (read and written)", limits.copy);
  add("pinned memory to the device", up);
  add("device to pinned memory", down);
  return limits;
}

/// Bytes that an update of the touched rows cannot do without: weights and states there and back, gradients, uses.
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
  const int warm_up = 2, steps = context.settings.steps;
  Drawn drawn(context, source, warm_up + steps);
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
  double all = 0;
  for (const auto& [name, time] : times) all += time.seconds / steps;
  for (const auto& [name, time] : times) {
    const double seconds = time.seconds / steps;
    if (name == "embedding::pool")
      figures.push_back({"kernels", name, (counts.row_bytes + 8 * counts.ids + vectors) / seconds, "bytes/s",
                         limits.read, "device memory, read", seconds});
    else if (name == "embedding::move_runs")
      figures.push_back({"kernels", name, update_bytes(session, counts) / seconds, "bytes/s", limits.copy,
                         "device memory, copied", seconds});
    else if (seconds >= 0.01 * all)
      figures.push_back({"kernels", name, double(time.launches) / time.seconds, "launches/s", 0, "", seconds});
  }
  figures.push_back(
      {"kernels", "all kernels of a step, one after the other", counts.samples / all, "samples/s", 0, "", all});
}

}  // namespace tesserec::bench
