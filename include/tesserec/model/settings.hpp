// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/network/settings.hpp>
#include <tesserec/sharding/exchange_precision.hpp>

namespace tesserec::model {

/// [model]: the network, and what its vectors are rounded to between ranks.
struct Settings : network::Settings {
  NumberType exchange_forward = NumberType::fp32;   ///< of pooled and un-pooled vectors
  NumberType exchange_backward = NumberType::fp32;  ///< of their gradients
};

}  // namespace tesserec::model
