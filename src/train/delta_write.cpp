// SPDX-License-Identifier: Apache-2.0
#include "delta_write.hpp"

#include "checkpoint_parts.hpp"
#include "delta_state.hpp"
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::train {

DeltaWrite::DeltaWrite(Session& session, const Position& at, Index epoch_samples)
    : session_(session), folder_(session.comm, session.job.checkpoint_folder()) {
  fill_content_checksums(session);
  explain_unsaved(at.step, "delta", [&] {
    require_whole(session);
    begun_ = folder_.begin(at.step, at.continues);
    begun_.origin = at.origin;
    try {
      state_ = std::make_unique<parallel_io::StateWrite>(
          session.exec, session.comm, begun_.state_file(), delta_items(session),
          attributes_of(session, at, epoch_samples), session.job.run.part_bytes);
    } catch (const Error&) {
      folder_.abandon(begun_);
      throw;
    }
  });
  clear_moves(session);
  copy_seconds_ = since_.seconds();
}

DeltaWrite::~DeltaWrite() {
  state_.reset();  // waits for its files
  if (!is_whole_) folder_.abandon(begun_);
}

Index DeltaWrite::bytes() const {
  Index bytes = 0;
  for (const auto& [name, record] : state_->records()) bytes += record.rows * record.columns * Index{sizeof(float)};
  return bytes;
}

store::Continued DeltaWrite::finish() {
  const Timer waiting;
  const store::Checkpoint whole =
      explain_unsaved(begun_.step, "delta", [&] { return folder_.commit(begun_, state_->finish()); });
  is_whole_ = true;
  log_info(concat("delta ", whole.folder, rate_of(state_->records(), since_.seconds()), ", steps waited ",
                  seconds_text(copy_seconds_ + waiting.seconds())));
  return {whole.step, whole.seal};
}

}  // namespace tesserec::train
