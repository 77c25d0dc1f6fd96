// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::preprocess {

/// Sends sent[r] to each rank r, which empties it, and returns what all ranks sent here, in rank order. Collective.
template <class T>
std::vector<T> exchanged(const comm::Communicator& comm, std::vector<std::vector<T>>& sent) {
  std::vector<Index> counts;
  for (const std::vector<T>& to : sent) counts.push_back(std::ssize(to));
  counts = comm.all_to_all(std::span<const Index>(counts));
  std::vector<std::vector<T>> received(sent.size());
  for (std::size_t r = 0; r < sent.size(); ++r) received[r].resize(counts[r]);
  comm.all_to_all(sent, received);
  for (std::vector<T>& to : sent) to.clear();
  std::vector<T> all;
  for (const std::vector<T>& from : received) all.insert(all.end(), from.begin(), from.end());
  return all;
}

}  // namespace tesserec::preprocess
