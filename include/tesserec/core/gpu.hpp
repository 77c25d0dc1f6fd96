// SPDX-License-Identifier: Apache-2.0
/// The GPU of a process whose Kokkos computes on GPUs. Code that launches no kernel runs without a GPU and a driver.
#pragma once

#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Returns whether this build computes on GPUs.
bool built_for_gpus();

/// Checks every visible GPU; must be called before Kokkos starts. Throws Error with advice if there is no driver, no
/// GPU, or one for which this build has no code. Does nothing in a build for CPUs.
void require_gpu();

/// Returns the name of the GPU in use, such as "NVIDIA H200 (sm_90), 139.80 GiB, PCI 0000:1b:00.0". Empty in a build
/// for CPUs. Must be called after Kokkos has started.
std::string gpu_name();
/// Returns the free memory [bytes] of that GPU; 0 in a build for CPUs.
Index gpu_free_bytes();

}  // namespace tesserec
