// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/error.hpp>

namespace tesserec {

/// Memory holds other bits than the program wrote: a fault of the machine. Thrown on all ranks.
class MemoryFault : public Error {
 public:
  using Error::Error;
};

}  // namespace tesserec
