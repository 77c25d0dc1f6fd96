// SPDX-License-Identifier: Apache-2.0
// Long lists of cases over the emulated device, where every thread of a kernel takes its time.
#pragma once

#include <tesserec/core/index.hpp>
#ifdef TESSEREC_EMULATED
#include <cstdlib>

#include <tesserec/emulated/settings.hpp>
#endif

/// Returns true where a case is left to other seeds: over the emulated device, of `every` cases in a row, all but one,
/// which the seed chooses. TESSEREC_DEVICE_ALL in the environment: none is. On the host none is.
inline bool left_out([[maybe_unused]] tesserec::Index turn, [[maybe_unused]] tesserec::Index every) {
#ifdef TESSEREC_EMULATED
  return std::getenv("TESSEREC_DEVICE_ALL") == nullptr &&
         turn % every != tesserec::Index(tesserec::emulated::settings().seed % every);
#else
  return false;
#endif
}
