// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <utility>

#include "checkpoint_parts.hpp"
#include "delta_state.hpp"
#include "growing_state.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/transport.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/data/columns.hpp>
#include <tesserec/data/content.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/model_state.hpp>
#include <tesserec/train/trained_data.hpp>

namespace tesserec::train {
namespace {

using store::StateItem;

std::string digest(Session& session, const std::vector<StateItem>& items, std::string* not_finite = nullptr) {
  require_whole(session);
  return store::combined_digest(parallel_io::state_checksums(session.exec, session.comm, items, not_finite));
}

}  // namespace

std::string weights_digest(Session& session, std::string* not_finite) {
  return digest(session, model_weights(session.comm, session.model), not_finite);
}
std::string state_digest(Session& session) { return digest(session, model_states(session.comm, session.model)); }

std::string save(Session& session, const Position& at, Index epoch_samples) {
  const Job& job = session.job;
  const parallel_io::CheckpointFolder folder(session.comm, job.checkpoint_folder());
  fill_content_checksums(session);
  const store::Attributes attributes = attributes_of(session, at, epoch_samples);
  const Timer timer;
  const store::Checkpoint whole = explain_unsaved(at.step, "checkpoint", [&] {
    require_whole(session);
    store::StateRecords records;
    const auto write = [&](const std::string& file) {
      return records = parallel_io::write_state(session.exec, session.comm, file, all_items(session), attributes,
                                                job.run.part_bytes);
    };
    store::Checkpoint checkpoint = folder.write(at.step, write, at.origin);
    clear_moves(session);
    log_info("checkpoint " + checkpoint.folder + rate_of(records, timer.seconds()));
    return checkpoint;
  });
  try {
    const auto best = job.checkpoint.keep_best ? folder.best() : std::nullopt;
    folder.prune(whole, kept_states(job.checkpoint, best ? std::optional(best->step) : std::nullopt));
  } catch (const Error& error) {
    fail("step ", at.step, ": ", error.what(), "; the checkpoint of this step is complete");
  }
  return whole.folder;
}

TrainedModel open_trained(const comm::Communicator& comm, const Job& job, const std::string& path) {
  std::string target = path;
  if (target.empty()) {
    const parallel_io::CheckpointFolder folder(comm, job.checkpoint_folder());
    const auto whole = folder.list();
    if (whole.empty())
      fail(job.checkpoint.path.empty() ? "run.output" : "checkpoint.path", ": there is no whole checkpoint in ",
           folder.path(), "; train first, or name one with checkpoint.resume = \"PATH\"");
    target = parallel_io::newest_checkpoint(folder, whole).folder;
  }
  NamedCheckpoint named = open_named(comm, target, path.empty() ? "" : "checkpoint.resume");
  TrainedModel trained{std::move(named.folder), std::move(named.open), {}};
  const std::string& file = trained.checkpoint.state.path();
  trained.attributes = store::read_attributes(trained.checkpoint.state);
  check_same_task(store::attribute<std::string>(trained.attributes, "deck", file), job, Purpose::weights, true, file);
  return trained;
}

FittedData fit_data(const TrainedModel& trained, const Job& job, std::unique_ptr<data::Source> source) {
  const std::string& file = trained.checkpoint.state.path();
  const data::SourceInfo then = trained_data(trained.attributes, file, job.tables, source->info());
  FittedData fitted{data::in_order(std::move(source), then), {}};
  fitted.info = with_trained_rows(fitted.source->info(), then, job.tables, job.model);
  return fitted;
}

void restore_weights(Session& session, const TrainedModel& trained) {
  restore_growth(session.exec, session.comm, session.model.tables(), trained.checkpoint.state,
                 trained.checkpoint.manifest.datasets, false);
  parallel_io::read_state(session.exec, session.comm, trained.checkpoint.state,
                          model_weights(session.comm, session.model), store::Extent::part);
}

}  // namespace tesserec::train
