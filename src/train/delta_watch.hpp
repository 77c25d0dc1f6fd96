// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/timer.hpp>
#include <tesserec/train/observer.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Observer that writes a delta after the first step that ends checkpoint.delta_seconds or more after the last
/// checkpoint or delta. The first rank's clock decides for all.
class DeltaWatch final : public Observer {
 public:
  explicit DeltaWatch(const Session& session) : session_(session) {}

  /// Begins to record which rows training moves.
  void begins(Training& training) override;
  void stepped(Training& training) override;
  void saved(Training&, double) override { since_.reset(); }

 private:
  const Session& session_;
  Timer since_;  // time since the last checkpoint or delta was written
};

}  // namespace tesserec::train
