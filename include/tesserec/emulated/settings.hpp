// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tesserec::emulated {

/// Time at which queued work runs.
enum class Order {
  eager,  ///< as soon as it is queued
  lazy,   ///< not before somebody waits for it; the default
  random  ///< some of it at each call, drawn from the seed among the commands whose dependencies allow it
};

/// Settings of the emulated device.
struct Settings {
  Order order = Order::lazy;
  std::uint64_t seed = 0;      ///< seed of the order of queues, blocks and threads, and of block sizes
  bool staged_copies = false;  ///< reading of pageable memory when a copy is queued, instead of when it runs
};

/// Returns the process's settings, which the environment variable TESSEREC_EMULATED initializes: a list such as
/// "order=random,seed=7,copies=staged". An unknown word ends the process with a message.
Settings& settings();

}  // namespace tesserec::emulated
