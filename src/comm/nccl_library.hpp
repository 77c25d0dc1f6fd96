// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <tesserec/comm/nccl.hpp>

namespace tesserec::comm {

/// The calls of NCCL's library.
std::unique_ptr<Nccl> nccl_library();

}  // namespace tesserec::comm
