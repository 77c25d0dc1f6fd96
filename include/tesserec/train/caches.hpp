// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Returns a line with the tables whose caches have more rows than their keys say, because a shard's cache has a least
/// size; "" if there is none.
std::string enlarged_caches(const Session& session);

}  // namespace tesserec::train
