// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <vector>

#include <tesserec/comm/nccl.hpp>
#include <tesserec/comm/node.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/placed.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/train/gpu_share.hpp>

namespace tesserec::train {

int count_equal_texts(std::span<const char> all, std::span<const Index> sizes, int rank) {
  std::vector<std::string_view> texts;
  for (Index at = 0; const Index size : sizes) {
    texts.emplace_back(all.data() + at, size);
    at += size;
  }
  return int(std::count(texts.begin(), texts.end(), texts[rank]));
}

GpuShare gpu_share(const comm::Communicator& comm) {
  GpuShare share{gpu_name()};
  if (share.name.empty()) return share;
  // GPUs of two nodes may have the same name, so the text includes the node.
  const std::string own_text = concat(comm::nodes_of_ranks(comm)[comm.rank()], " ", share.name);
  std::vector<Index> sizes;
  const std::vector<char> all = comm.all_gather(std::span<const char>(own_text), &sizes);
  share.ranks = count_equal_texts(all, sizes, comm.rank());
  share.memory = comm.min(gpu_free_bytes() / share.ranks);
  return share;
}

std::unique_ptr<comm::Transport> make_transport(const comm::Communicator& comm, const RunSettings& run) {
  using enum comm::TransportType;
  const GpuShare gpu = gpu_share(comm);
  const Index sharers = comm.max(gpu.ranks);
  const std::string advice = "srun --gpus-per-task=1 gives each rank its own";
  if (sharers > 1 && !run.share_gpus)
    throw network::SettingError(
        "share_gpus", concat(" is false, but ", sharers, " ranks share one GPU, ", gpu.name, "; ", advice), "run");
  const auto refuse = [](const std::string& reason) {
    throw network::SettingError("communicator", " = \"nccl\"" + reason, "run");
  };
  const bool on_devices = place_of(run.kernels) == Place::device;
  if (run.communicator == nccl && !on_devices)
    refuse(
        concat(" sends data from GPUs, but ", name(chosen(run.kernels)), " kernels run on processors; set \"auto\""));
  if (run.communicator == nccl && sharers > 1)
    refuse(concat(" needs a GPU for each rank, but ", sharers, " share one; ", advice, ", or set \"mpi\""));
  const bool uses_nccl = run.communicator == nccl || (run.communicator == automatic && on_devices && !device_is_host &&
                                                      comm.size() > 1 && sharers == 1);
  std::unique_ptr<comm::Nccl> calls = uses_nccl ? comm::make_nccl() : nullptr;
  if (calls) return comm::nccl_transport(comm, std::move(calls));
  if (run.communicator == nccl)
    refuse(": this build has no NCCL; set \"mpi\", or configure a build for GPUs with TESSEREC_NCCL=ON (docs/gpu.md)");
  return comm::mpi_transport(comm);
}

}  // namespace tesserec::train
