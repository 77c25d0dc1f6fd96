// SPDX-License-Identifier: Apache-2.0
// What all ranks together hold.
#pragma once

#include <tesserec/parallel_io/state.hpp>

namespace tesserec::parallel_io {

/// Returns the names and shapes of all ranks' items. Collective. Error when two disagree on a shape.
store::StateRecords common_shapes(const comm::Communicator& comm, const std::vector<store::StateItem>& items);

/// Adds each name's value over the ranks, modulo 2^64. Collective.
std::map<std::string, std::uint64_t> sum_by_name(const comm::Communicator& comm, const store::StateRecords& shapes,
                                                 const std::map<std::string, std::uint64_t>& mine);

}  // namespace tesserec::parallel_io
