// SPDX-License-Identifier: Apache-2.0
// Omission of cases from long lists on the emulated device, whose threads all take a random time.
#pragma once

#include <tesserec/core/index.hpp>
#ifdef TESSEREC_EMULATED
#include <cstdlib>

#include <tesserec/emulated/settings.hpp>
#endif

/// Returns true if other seeds run the case. On the emulated device the seed selects one of `every` consecutive cases,
/// unless TESSEREC_DEVICE_ALL is set in the environment. On the host every case runs.
inline bool left_out([[maybe_unused]] tesserec::Index turn, [[maybe_unused]] tesserec::Index every) {
#ifdef TESSEREC_EMULATED
  return std::getenv("TESSEREC_DEVICE_ALL") == nullptr &&
         turn % every != tesserec::Index(tesserec::emulated::settings().seed % every);
#else
  return false;
#endif
}
