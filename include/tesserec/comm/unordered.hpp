// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// MPI's own sum over the ranks, in place: its order of additions is the library's, so that the bits depend
/// on the number of ranks. For tesserec bench, which shows what the ordered sum costs beside it; training
/// never calls it.
void unordered_sum(const Communicator& comm, float* values, Index n);

}  // namespace tesserec::comm
