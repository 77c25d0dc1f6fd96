// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include <tesserec/comm/transport.hpp>
#include <tesserec/train/settings.hpp>

namespace tesserec::train {

/// GPU on which a rank computes.
struct GpuShare {
  std::string name;  ///< gpu_name(); empty if the rank computes on a processor
  int ranks = 1;     ///< ranks of the job that share this GPU
  Index memory = 0;  ///< bytes that each rank may use, the minimum over ranks
};
/// Returns this rank's GPU and the number of ranks that share it. Collective.
GpuShare gpu_share(const comm::Communicator& comm);

/// Makes the transport between ranks' devices as run.communicator says. Throws Error if ranks share a GPU without
/// run.share_gpus. Throws it for "nccl" if the build lacks NCCL, no data lies on devices, or ranks share a GPU.
/// Collective.
std::unique_ptr<comm::Transport> make_transport(const comm::Communicator& comm, const RunSettings& run);

/// Counts the texts in `all` that equal the text of `rank`. `all` holds one text after the other, of `sizes` bytes.
int count_equal_texts(std::span<const char> all, std::span<const Index> sizes, int rank);

}  // namespace tesserec::train
