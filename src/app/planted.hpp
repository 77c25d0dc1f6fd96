// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "job.hpp"

namespace tesserec::app {

/// For a planted model: says what AUC the truth reaches on the evaluation samples, all of it and with rows seen at
/// least 5 times in training, and adds both to `json`. Collective; nothing for other data.
void add_planted_truth(const comm::Communicator& comm, const train::Job& job, Json& json);

}  // namespace tesserec::app
