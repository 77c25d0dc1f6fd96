// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/device.hpp>
#include <tesserec/core/error.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime.h>
#endif

namespace tesserec {

#ifdef KOKKOS_ENABLE_CUDA
namespace {

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) fail(call, ": ", cudaGetErrorString(code));
}

}  // namespace

void DeviceMark::Destroy::operator()(CUevent_st* event) const { cudaEventDestroy(event); }

void DeviceMark::set(const Device& device) {
  if (event_ == nullptr) {
    cudaEvent_t made = nullptr;
    check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    event_.reset(made);
  }
  check(cudaEventRecord(event_.get(), device.cuda_stream()), "cudaEventRecord");
}

void DeviceMark::wait() const {
  if (event_ != nullptr) check(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
}
#else
void DeviceMark::set(const Device& device) { device_ = device; }

void DeviceMark::wait() const {
  if (device_) device_->fence();
}
#endif

}  // namespace tesserec
