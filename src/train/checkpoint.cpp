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

/// Blocks until the last step's device work has ended. Throws Error if one of its messages failed.
void require_whole(const Session& session) {
  wait(session.exec);
  session.model.tables().groups().check();
}

std::string digest(Session& session, const std::vector<StateItem>& items, std::string* not_finite = nullptr) {
  require_whole(session);
  return store::combined_digest(parallel_io::state_checksums(session.exec, session.comm, items, not_finite));
}

/// Lists "NAME, BYTES CHECKSUM" of each file of the training data, with NAME without folders.
std::vector<std::string> file_lines(const Session& session) {
  std::vector<std::string> lines;
  for (std::size_t f = 0; f < session.contents.size(); ++f) {
    const std::string& path = session.data.files[f].path;
    lines.push_back(path.substr(path.rfind('/') + 1) + ", " + session.contents[f]);
  }
  return lines;
}

/// Returns the attributes of a checkpoint or a delta.
store::Attributes attributes_of(const Session& session, const Position& at, Index epoch_samples) {
  const Job& job = session.job;
  store::Attributes attributes = {
      {"step", at.step},
      {"epoch", at.epoch},
      {"batch", at.batch},
      {"samples", at.samples},
      {"loss_sum", at.loss_sum},
      {"loss_samples", at.loss_samples},
      {"samples_per_epoch", epoch_samples},
      {"data_digest", data::content_digest(session.contents)},
      {"train.batch_size", job.train.step_samples()},
      {"train.lanes", Index{session.lanes.count()}},
      {"train.accumulate", Index{job.train.accumulate}},
      {"train.shuffle", Index{job.train.shuffle}},
      {"run.seed", Index(job.run.seed)},
      {"deck", job.deck},
  };
  add_data_facts(session.data, attributes);
  if (const auto files = file_lines(session); !files.empty()) attributes["data_files"] = files;
  if (!at.metrics.empty()) attributes["running_metrics"] = at.metrics;
  return attributes;
}

/// Writes a checkpoint of `items`, or a delta of the state that it `continues`. Collective.
store::Checkpoint write(Session& session, const parallel_io::CheckpointFolder& folder, const Position& at,
                        Index epoch_samples, const std::function<std::vector<StateItem>()>& items,
                        const std::optional<store::Continued>& continues) {
  fill_content_checksums(session);
  const store::Attributes attributes = attributes_of(session, at, epoch_samples);
  const std::string kind = continues ? "delta" : "checkpoint";
  const Timer timer;
  const auto no_checkpoint = [&](const Error& error) {
    return concat("step ", at.step, ": ", error.what(), "; this step has no ", kind,
                  ", but earlier checkpoints are unchanged");
  };
  try {
    require_whole(session);
    store::StateRecords records;
    store::Checkpoint whole = folder.write(
        at.step,
        [&](const std::string& file) {
          return records = parallel_io::write_state(session.exec, session.comm, file, items(), attributes,
                                                    session.job.run.part_bytes);
        },
        at.origin, continues);
    clear_moves(session);
    log_info(kind + " " + whole.folder + rate_of(records, timer.seconds()));
    return whole;
  } catch (const Diverged& error) {
    throw Diverged(no_checkpoint(Error(concat(error.what(), "; the model has diverged; lower the learning rate"))));
  } catch (const Error& error) {
    throw Error(no_checkpoint(error));
  }
}

}  // namespace

std::string weights_digest(Session& session, std::string* not_finite) {
  return digest(session, model_weights(session.comm, session.model), not_finite);
}
std::string state_digest(Session& session) { return digest(session, model_states(session.comm, session.model)); }

std::string save(Session& session, const Position& at, Index epoch_samples) {
  const Job& job = session.job;
  const parallel_io::CheckpointFolder folder(session.comm, job.checkpoint_folder());
  const store::Checkpoint whole = write(session, folder, at, epoch_samples, [&] { return all_items(session); }, {});
  try {
    const auto best = job.checkpoint.keep_best ? folder.best() : std::nullopt;
    folder.prune(whole, job.checkpoint.keep, best ? std::optional(best->step) : std::nullopt);
  } catch (const Error& error) {
    fail("step ", at.step, ": ", error.what(), "; the checkpoint of this step is complete");
  }
  return whole.folder;
}

store::Continued save_delta(Session& session, const Position& at, Index epoch_samples) {
  const parallel_io::CheckpointFolder folder(session.comm, session.job.checkpoint_folder());
  const store::Checkpoint whole = write(
      session, folder, at, epoch_samples, [&] { return delta_items(session); }, at.continues);
  return {at.step, whole.seal};
}

TrainedModel open_trained(const comm::Communicator& comm, const Job& job, const std::string& path) {
  std::string target = path;
  if (target.empty()) {
    const std::string folder = job.checkpoint_folder();
    const auto whole = parallel_io::CheckpointFolder(comm, folder).list();
    if (whole.empty())
      fail(job.checkpoint.path.empty() ? "run.output" : "checkpoint.path", ": there is no whole checkpoint in ", folder,
           "; train first, or name one with checkpoint.resume = \"PATH\"");
    target = whole.front().folder;
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
