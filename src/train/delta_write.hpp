// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <tesserec/core/timer.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/train/checkpoint.hpp>

namespace tesserec::train {

/// A delta that is being written. Its rows are copied when the object is made, and go to the disk while training goes
/// on. Without finish() no delta stays.
class DeltaWrite {
 public:
  /// Copies the rows moved since the state that position.continues names, which must be set, and the dense half. Rows
  /// that move from now on are those of the next delta. Throws Error as save() does. Collective.
  DeltaWrite(Session& session, const Position& position, Index epoch_samples);
  ~DeltaWrite();
  DeltaWrite(const DeltaWrite&) = delete;
  DeltaWrite& operator=(const DeltaWrite&) = delete;

  /// Returns the bytes of all ranks' numbers.
  Index bytes() const;
  /// Returns whether this rank's files are on the disk. Does not block or communicate.
  bool on_disk() const { return state_->on_disk(); }
  /// Waits until the delta is whole on the disk, and returns the state after it. Throws Error as save() does.
  /// Collective.
  store::Continued finish();

 private:
  Session& session_;
  parallel_io::CheckpointFolder folder_;
  store::Checkpoint begun_;
  std::unique_ptr<parallel_io::StateWrite> state_;
  Timer since_;              // time since the copy began
  double copy_seconds_ = 0;  // time for which the step waited
  bool is_whole_ = false;
};

}  // namespace tesserec::train
