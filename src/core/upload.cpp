// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/upload.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <tesserec/core/cuda_check.hpp>
#endif

namespace tesserec {

#ifdef TESSEREC_EMULATED
void DeviceMark::set(const Device& device) { event_.record(device); }

void DeviceMark::wait() const { event_.wait(); }

void send_concurrently(const Device& device, const void* from, void* to, std::size_t bytes,
                       const DeviceMark& readers_done, DeviceMark& sent) {
  static const Device copies = Device::another("copies");
  readers_done.event_.hold(copies);
  emulated::copy(copies, from, to, bytes);
  sent.set(copies);
  sent.event_.hold(device);
}
#elif defined(KOKKOS_ENABLE_CUDA)
void DeviceMark::Destroy::operator()(CUevent_st* event) const { cudaEventDestroy(event); }

void DeviceMark::set(const Device& device) { set(device.cuda_stream()); }

void DeviceMark::set(CUstream_st* stream) {
  if (event_ == nullptr) {
    cudaEvent_t made = nullptr;
    check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    event_.reset(made);
  }
  check(cudaEventRecord(event_.get(), stream), "cudaEventRecord");
}

void DeviceMark::wait() const {
  if (event_ != nullptr) check(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
}

void send_concurrently(const Device& device, const void* from, void* to, std::size_t bytes,
                       const DeviceMark& readers_done, DeviceMark& sent) {
  static const cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return made;  // The stream lives as long as the process.
  }();
  if (readers_done.event_ != nullptr)
    check(cudaStreamWaitEvent(stream, readers_done.event_.get(), 0), "cudaStreamWaitEvent");
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  sent.set(stream);
  check(cudaStreamWaitEvent(device.cuda_stream(), sent.event_.get(), 0), "cudaStreamWaitEvent");
}
#else
void DeviceMark::set(const Device& device) { device_ = device; }

void DeviceMark::wait() const {
  if (device_) device_->fence();
}
#endif

}  // namespace tesserec
