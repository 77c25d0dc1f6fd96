// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blocks.hpp"

namespace tesserec::emulated {

/// Reports a queued copy that has not run and reads or writes the allocation.
void fault_where_pending(const Allocation& allocation);

}  // namespace tesserec::emulated
