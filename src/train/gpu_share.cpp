// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <vector>

#include <tesserec/comm/node.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/train/gpu_share.hpp>

namespace tesserec::train {

int equal_texts(std::span<const char> all, std::span<const Index> sizes, int rank) {
  std::vector<std::string_view> texts;
  for (Index at = 0; const Index size : sizes) texts.emplace_back(all.data() + at, size), at += size;
  return int(std::count(texts.begin(), texts.end(), texts[rank]));
}

GpuShare gpu_share(const comm::Communicator& comm) {
  GpuShare share{gpu_name()};
  if (share.name.empty()) return share;
  // Two nodes may have GPUs at one place each.
  const std::string mine = concat(comm::nodes_of_ranks(comm)[comm.rank()], " ", share.name);
  std::vector<Index> sizes;
  const std::vector<char> all = comm.all_gather(std::span<const char>(mine), &sizes);
  share.ranks = equal_texts(all, sizes, comm.rank());
  share.memory = comm.min(gpu_free_bytes() / share.ranks);
  return share;
}

}  // namespace tesserec::train
