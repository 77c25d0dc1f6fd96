// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/device_graph.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <tesserec/core/cuda_check.hpp>
#endif

namespace tesserec {
namespace {

/// Returns whether a Kokkos tool watches each kernel. It could not see the kernels of a graph one by one.
bool kernels_are_watched() {
#ifdef KOKKOS_ENABLE_CUDA
  return Kokkos::Tools::Experimental::get_callbacks().begin_parallel_for != nullptr;
#else
  return false;
#endif
}

}  // namespace

#ifdef TESSEREC_EMULATED
DeviceGraph::DeviceGraph(const Device& device, const std::function<void()>& launches) : graph_(device, launches) {}

void DeviceGraph::launch(const Device& device) const { graph_.launch(device); }
#elif defined(KOKKOS_ENABLE_CUDA)
void DeviceGraph::Destroy::operator()(CUgraphExec_st* graph) const { cudaGraphExecDestroy(graph); }

DeviceGraph::DeviceGraph(const Device& device, const std::function<void()>& launches) {
  const cudaStream_t stream = device.cuda_stream();
  // The stricter modes take a team launch's request for 0 bytes of scratch memory for an allocation.
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  cudaGraph_t recorded = nullptr;
  try {
    launches();
  } catch (...) {
    cudaStreamEndCapture(stream, &recorded);
    if (recorded != nullptr) cudaGraphDestroy(recorded);
    throw;
  }
  check(cudaStreamEndCapture(stream, &recorded), "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t code = cudaGraphInstantiate(&executable, recorded, 0);
  cudaGraphDestroy(recorded);
  check(code, "cudaGraphInstantiate");
  graph_.reset(executable);
}

void DeviceGraph::launch(const Device& device) const {
  check(cudaGraphLaunch(graph_.get(), device.cuda_stream()), "cudaGraphLaunch");
}
#else
DeviceGraph::DeviceGraph(const Device&, const std::function<void()>& launches) {
  recorded_ = &launches_;
  const struct Recording {
    ~Recording() { recorded_ = nullptr; }
  } recording;
  launches();
}

void DeviceGraph::launch(const Device&) const {
  for (const auto& launch : launches_) launch();
}
#endif

void RepeatedLaunches::operator()(const Device& device, const LaunchKey& key, const std::function<void()>& launches) {
  if (kernels_are_watched()) return launches();
  auto run = std::find_if(runs_.begin(), runs_.end(), [&](const Run& candidate) { return candidate.key == key; });
  if (run == runs_.end()) {
    if (runs_.size() == max_runs) {
      if (runs_.front().graph) device.fence();
      runs_.erase(runs_.begin());
    }
    run = runs_.insert(runs_.end(), {key});
  }
  if (run->moves != DeviceGraph::moves()) {
    if (run->graph) {
      device.fence();
      run->graph.reset();
    }
    launches();
    run->moves = DeviceGraph::moves();
    return;
  }
  if (!run->graph) run->graph.emplace(device, launches);
  run->graph->launch(device);
}

}  // namespace tesserec
