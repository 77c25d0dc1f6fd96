// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/comm/communicator.hpp>
#include <tesserec/model/settings.hpp>

namespace tesserec::model {

/// Throws the same Error on all ranks, which names the first value that differs and the ranks, unless all have the same
/// settings and dense features. Collective.
void require_same_settings(const comm::Communicator& comm, const Settings& settings, Index dense_features);

}  // namespace tesserec::model
