// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace tesserec::network {

/// The losses of a rank's lanes, which may still be on their way from a device.
class [[nodiscard]] LaneLosses {
 public:
  LaneLosses(std::vector<double> losses) : arrive_([given = std::move(losses)] { return given; }) {}
  explicit LaneLosses(std::function<std::vector<double>()> arrive) : arrive_(std::move(arrive)) {}
  /// Waits for them, before the next batch begins.
  std::vector<double> get() const { return arrive_(); }

 private:
  std::function<std::vector<double>()> arrive_;
};

}  // namespace tesserec::network
