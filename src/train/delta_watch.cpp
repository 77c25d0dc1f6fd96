// SPDX-License-Identifier: Apache-2.0
#include "delta_watch.hpp"

#include "delta_state.hpp"
#include <tesserec/train/training.hpp>

namespace tesserec::train {

void DeltaWatch::begins(Training&) {
  track_moves(session_);
  since_.reset();
}

void DeltaWatch::stepped(Training& training) {
  const CheckpointSettings& settings = session_.job.checkpoint;
  const bool is_late = session_.comm.rank() == 0 && since_.seconds() >= settings.delta_seconds;
  training.finish_delta(false);
  if (session_.comm.max(Index{is_late}) == 0) return;
  if (training.is_over() || training.is_due(settings.every_steps)) return;  // a checkpoint follows
  training.save_delta();
  since_.reset();
}

}  // namespace tesserec::train
