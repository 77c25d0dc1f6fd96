// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace tesserec::network {

/// Losses of a rank's lanes, which a device may still be computing.
class [[nodiscard]] LaneLosses {
 public:
  /// Holds losses that are known.
  LaneLosses(std::vector<double> losses) : arrive_([values = std::move(losses)] { return values; }) {}
  /// Takes a function that waits for the losses and returns them.
  explicit LaneLosses(std::function<std::vector<double>()> arrive) : arrive_(std::move(arrive)) {}
  /// Returns the losses. Blocks until they are known. Call it before the next batch begins.
  std::vector<double> get() const { return arrive_(); }

 private:
  std::function<std::vector<double>()> arrive_;
};

}  // namespace tesserec::network
