// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "raw_files.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/settings.hpp>

namespace tesserec::preprocess {

/// Replaces patterns in the names of columns by the names in the header of `file`. Collective.
void expand_columns(const comm::Communicator& comm, const RawFile& file, Settings& settings);

}  // namespace tesserec::preprocess
