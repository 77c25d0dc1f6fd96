// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Macros.hpp>

#include <tesserec/core/gpu.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {
namespace {

// Kernel whose attributes tell whether this build has code for a device.
__global__ void any_kernel() {}

std::string description(int device) {
  cudaDeviceProp properties;
  char place[32] = "?";
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) return concat("GPU ", device);
  cudaDeviceGetPCIBusId(place, sizeof(place), device);
  return concat(properties.name, " (sm_", properties.major, properties.minor, "), ",
                bytes_text(double(properties.totalGlobalMem)), ", PCI ", place);
}

}  // namespace

bool built_for_gpus() { return true; }

void require_gpu() {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found == cudaErrorInsufficientDriver || found == cudaErrorStubLibrary)
    fail("this build computes on GPUs, but the node has no usable GPU driver (", cudaGetErrorString(found),
         "); start it on a node with GPUs, or use a build over a Kokkos without CUDA");
  if (found == cudaErrorNoDevice || (found == cudaSuccess && count == 0))
    fail(
        "this build computes on GPUs, but this process sees no GPU; request one (srun --gpus-per-task=1), check "
        "CUDA_VISIBLE_DEVICES, or use a build over a Kokkos without CUDA");
  if (found != cudaSuccess)
    fail("the GPUs of this node cannot be used: ", cudaGetErrorString(found), "; check them with nvidia-smi");
  for (int device = 0; device < count; ++device) {
    cudaFuncAttributes attributes;
    if (cudaSetDevice(device) == cudaSuccess && cudaFuncGetAttributes(&attributes, any_kernel) == cudaSuccess) continue;
    const cudaError_t error = cudaGetLastError();
    fail(description(device), ": ",
         error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction
             ? "this build has no code for this GPU; build over a Kokkos for its architecture (Kokkos_ARCH_...)"
             : cudaGetErrorString(error));
  }
  cudaSetDevice(0);
}

std::string gpu_name() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? description(device) : "";
}

Index gpu_free_bytes() {
  std::size_t free = 0, total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? Index(free) : 0;
}

}  // namespace tesserec

// The three driver functions that Kokkos calls, looked up when they are called. A program that is linked against the
// driver would not start on a node without it. This object must be linked before Kokkos.
namespace {

template <class Function, class... Values>
CUresult call(const char* name, Values... values) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  void* const found = driver == nullptr ? nullptr : dlsym(driver, name);
  return found == nullptr ? CUDA_ERROR_NOT_INITIALIZED : reinterpret_cast<Function*>(found)(values...);
}

}  // namespace

extern "C" {
CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) { return call<decltype(cuCtxGetDevice)>("cuCtxGetDevice", device); }
CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
  return call<decltype(cuCtxPushCurrent)>("cuCtxPushCurrent_v2", context);
}
CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return call<decltype(cuStreamGetCtx)>("cuStreamGetCtx", stream, context);
}
}

#else

namespace tesserec {

bool built_for_gpus() { return false; }
void require_gpu() {}
std::string gpu_name() { return ""; }
Index gpu_free_bytes() { return 0; }

}  // namespace tesserec

#endif
