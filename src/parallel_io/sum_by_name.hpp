// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/parallel_io/state.hpp>

namespace tesserec::parallel_io {

/// Adds each name's value over the ranks, modulo 2^64. Collective.
std::map<std::string, std::uint64_t> sum_by_name(const comm::Communicator& comm, const store::StateRecords& shapes,
                                                 const std::map<std::string, std::uint64_t>& own);

}  // namespace tesserec::parallel_io
