// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tesserec::emulated {

/// When queued work runs.
enum class Order {
  eager,  ///< as soon as it is queued
  lazy,   ///< when somebody waits for it, and not before; the default
  random  ///< some of it at each call, drawn from the seed among what dependencies allow
};

struct Settings {
  Order order = Order::lazy;
  std::uint64_t seed = 0;      ///< of the order of queues, blocks and threads, and of block sizes
  bool staged_copies = false;  ///< copies from pageable memory read it at once; else when they run
};

/// The process's settings. First those of the environment variable TESSEREC_EMULATED, a list such as
/// "order=random,seed=7,copies=staged"; an unknown word ends the process with a message.
Settings& settings();

}  // namespace tesserec::emulated
