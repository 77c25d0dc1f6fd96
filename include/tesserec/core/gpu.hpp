// SPDX-License-Identifier: Apache-2.0
/// The GPU of a process whose Kokkos computes on GPUs. What needs none of its kernels runs without GPU and driver.
#pragma once

#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Returns whether this build computes on GPUs.
bool built_for_gpus();

/// Before Kokkos starts. Error: no driver, no GPU, or none that this build has code for; with what to do.
void require_gpu();

/// After: "NVIDIA H200, 139.8 GiB, PCI 0000:1b:00.0"; empty in a build for CPUs.
std::string gpu_name();
/// Bytes of its memory that nobody has taken; 0 in a build for CPUs.
Index gpu_free_bytes();

}  // namespace tesserec
