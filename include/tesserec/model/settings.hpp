// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/network/settings.hpp>
#include <tesserec/sharding/exchange_precision.hpp>

namespace tesserec::model {

/// Settings of [model]: the network, and the formats to which its vectors are rounded between ranks.
struct Settings : network::Settings {
  NumberType exchange_forward = NumberType::fp32;   ///< format of pooled and un-pooled vectors
  NumberType exchange_backward = NumberType::fp32;  ///< format of the gradients of these vectors
};

}  // namespace tesserec::model
