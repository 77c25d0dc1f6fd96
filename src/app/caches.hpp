// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/train/session.hpp>

namespace tesserec::app {

/// Logs the files and caches of tables with kernel disk or host_cached, and caches that are larger than their keys say.
/// Collective.
void show_caches(const train::Session& session);

}  // namespace tesserec::app
