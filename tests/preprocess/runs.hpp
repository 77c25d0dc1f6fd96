// SPDX-License-Identifier: Apache-2.0
// Calls of preprocessing that tests share.
#pragma once

#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/run.hpp>

/// Calls run(communicator, name) on the first 1, 2, ... ranks of the world; the others wait.
template <class Run>
inline void for_each_rank_count(const tesserec::comm::Communicator& world, const Run& run) {
  for (int ranks = 1; ranks <= world.size(); ++ranks) {
    const tesserec::comm::Communicator comm(world, world.rank() < ranks ? 0 : 1);
    if (world.rank() < ranks) run(comm, std::to_string(ranks));
    world.barrier();
  }
}

inline tesserec::preprocess::Settings criteo(const std::vector<std::string>& train, const std::string& output) {
  tesserec::preprocess::Settings settings;
  settings.train = train;
  settings.output = output;
  return settings;
}
