// SPDX-License-Identifier: Apache-2.0
/// The ranks of one job must be given the same: one deck, one program, the same files.
#pragma once

#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// A value by name, as a message shows both.
struct Named {
  std::string name, value;
};

/// Returns the ranks whose text is not rank 0's, in ascending order. Collective.
std::vector<int> ranks_that_differ(const Communicator& comm, const std::string& text);

/// Throws the same Error on all ranks unless every rank has rank 0's list: "rank 1: NAME is VALUE, rank 0 has VALUE;
/// ADVICE". The first difference in the order of rank 0's list is shown with its values, others by name. Names must
/// be unique; no text has a NUL. Collective.
void require_same(const Communicator& comm, const std::vector<Named>& mine, const std::string& advice);

}  // namespace tesserec::comm
