// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include <tesserec/comm/transport.hpp>
#include <tesserec/train/settings.hpp>

namespace tesserec::train {

/// The GPU that a rank computes on.
struct GpuShare {
  std::string name;  ///< gpu_name; empty where it computes on a processor
  int ranks = 1;     ///< of the job that have this one
  Index memory = 0;  ///< bytes that each rank may take: the least of all
};
/// Collective.
GpuShare gpu_share(const comm::Communicator& comm);

/// Makes the transport between ranks' devices as run.communicator says. Collective. Errors: a shared GPU without
/// run.share_gpus; NCCL where it is missing, nothing lies on devices, or ranks share.
std::unique_ptr<comm::Transport> make_transport(const comm::Communicator& comm, const RunSettings& run);

/// Counts the texts, each of `sizes` bytes in `all`, that equal that of `rank`.
int equal_texts(std::span<const char> all, std::span<const Index> sizes, int rank);

}  // namespace tesserec::train
