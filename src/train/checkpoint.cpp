// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "task.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/data/columns.hpp>
#include <tesserec/data/content.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/model_state.hpp>
#include <tesserec/train/trained_data.hpp>

namespace tesserec::train {
namespace {

using store::StateItem;

/// Error where gradients of the last step have not come.
void require_whole(const Session& session) {
  wait(session.exec);
  session.comm.transport().check();
}

std::string digest(Session& session, const std::vector<StateItem>& items) {
  require_whole(session);
  return store::combined_digest(store::state_checksums(session.exec, session.comm, items));
}

std::vector<StateItem> all_items(const Session& session) {
  std::vector<StateItem> items = model_weights(session.comm, session.model);
  const std::vector<StateItem> states = model_states(session.comm, session.model);
  items.insert(items.end(), states.begin(), states.end());
  return items;
}

/// Error when the training data are known to have other bytes than the checkpoint's had, unless checkpoint.accept.
void check_same_bytes(const Session& session, const std::string& then, const std::string& file) {
  const std::string now = data::content_digest(session.contents);
  if (then == now || now.empty()) return;
  const std::string& data = session.data.description;
  if (then.empty())
    return log_info(file + " does not say which bytes its data had: whether " + data + " is the same is not checked");
  const std::string difference =
      concat(file, " was made with other data than ", data, " has now (data_digest ", then, ", now ", now, ")");
  if (!accepts(session.job.checkpoint, "data.train"))
    fail(difference,
         "; give the data that it was made with, allow others with checkpoint.accept = [\"data\"], or start "
         "anew with checkpoint.resume = \"never\"");
  log_info(difference + ", as checkpoint.accept allows");
}

/// What a resumed run must have in common with the run that wrote the checkpoint.
void check_same_run(const Session& session, Index epoch_samples, const store::Attributes& attributes,
                    const std::string& file) {
  const Job& job = session.job;
  const auto demand = [&](const char* name, Index now, const char* advice) {
    const auto then = store::attribute<std::int64_t>(attributes, name, file);
    if (then != now) fail(file, " was made with ", name, " = ", then, ", this run has ", now, "; ", advice);
  };
  const char* fresh = ", or start anew with checkpoint.resume = \"never\"";
  demand("train.batch_size", job.train.step_samples(),
         (std::string("set train.batch_size (times train.accumulate) back") + fresh).c_str());
  require_same_columns(session.data, trained_data(attributes, file, job.tables, session.data));
  if (!accepts(job.checkpoint, "data.train"))
    demand("samples_per_epoch", epoch_samples,
           (std::string("give the same training data, go on with others by checkpoint.accept = [\"data\"]") + fresh)
               .c_str());
  demand("run.seed", Index(job.run.seed), (std::string("set run.seed back") + fresh).c_str());
  demand("train.shuffle", job.train.shuffle, (std::string("set train.shuffle back") + fresh).c_str());
  if (!job.checkpoint.relane)
    demand("train.lanes", session.lanes.count(),
           "set train.lanes back, or checkpoint.relane = true to go on with other bits");
  else if (store::attribute<std::int64_t>(attributes, "train.lanes", file) != session.lanes.count())
    log_info(
        "checkpoint.relane: lanes change, so from here on the bits differ from those of the run so far, and the "
        "rest of this epoch deals its samples anew");
}

/// Whether the training data have the bytes that the checkpoint's had. False where that is not known.
bool same_files(const Session& session, const std::string& then) {
  return !session.contents.empty() && data::content_digest(session.contents) == then;
}

/// Which bytes the checkpoint's training data had; empty where it does not say.
std::string content_then(const store::Attributes& attributes, const std::string& file) {
  return attributes.count("data_digest") == 0 ? "" : store::attribute<std::string>(attributes, "data_digest", file);
}

/// Whether a run that may go on with other data has another data set: other files, or another number of samples.
bool has_another_set(const Session& session, Index epoch_samples, const store::Attributes& attributes,
                     const std::string& file) {
  const bool may_differ = accepts(session.job.checkpoint, "data.train");
  if (!may_differ) return false;
  if (store::attribute<std::int64_t>(attributes, "samples_per_epoch", file) != epoch_samples) return true;
  const auto files = [](const std::string& deck) { return flat_deck(deck)["data.train"]; };
  return !same_files(session, content_then(attributes, file)) &&
         files(store::attribute<std::string>(attributes, "deck", file)) != files(session.job.deck);
}

/// ": 12.3 MB in 0.004 s, 3.1 GB/s".
std::string rate_of(const store::StateRecords& records, double seconds) {
  double bytes = 0;
  for (const auto& [name, record] : records) bytes += double(sizeof(float)) * double(record.rows * record.columns);
  return concat(": ", fixed(1e-6 * bytes, 1), " MB in ", fixed(seconds, 3), " s, ", fixed(1e-9 * bytes / seconds, 2),
                " GB/s");
}

/// Which bytes the training data have, from here on. Collective.
void know_content(Session& session) {
  if (session.contents.empty()) session.contents = data::contents(session.comm, session.data.files);
}

/// "NAME, BYTES CHECKSUM" of each file of the training data, without folders.
std::vector<std::string> file_lines(const Session& session) {
  std::vector<std::string> lines;
  for (std::size_t f = 0; f < session.contents.size(); ++f) {
    const std::string& path = session.data.files[f].path;
    lines.push_back(path.substr(path.rfind('/') + 1) + ", " + session.contents[f]);
  }
  return lines;
}

/// `named`: by checkpoint.resume, not found in the run's folder. Collective.
store::OpenCheckpoint open_one(const comm::Communicator& comm, const std::string& folder, bool named) {
  try {
    return store::open_checkpoint(comm, folder);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    throw Error((named ? "checkpoint.resume: " : "") + std::string(error.what()));
  }
}

}  // namespace

std::string weights_digest(Session& session) { return digest(session, model_weights(session.comm, session.model)); }
std::string state_digest(Session& session) { return digest(session, model_states(session.comm, session.model)); }

std::string save(Session& session, const Position& at, Index epoch_samples) {
  const Job& job = session.job;
  know_content(session);
  const store::CheckpointFolder folder(session.comm, job.checkpoint_folder());
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
      {"train.shuffle", Index{job.train.shuffle}},
      {"run.seed", Index(job.run.seed)},
      {"deck", job.deck},
  };
  add_data_facts(session.data, attributes);
  if (const auto files = file_lines(session); !files.empty()) attributes["data_files"] = files;
  if (!at.metrics.empty()) attributes["running_metrics"] = at.metrics;
  const Timer timer;
  store::Checkpoint whole;
  const auto no_checkpoint = [&](const Error& error) {
    return concat("step ", at.step, ": ", error.what(), "; this step has no checkpoint, earlier ones stand");
  };
  try {
    require_whole(session);
    store::StateRecords records;
    whole = folder.write(at.step, [&](const std::string& file) {
      return records = store::write_state(session.exec, session.comm, file, all_items(session), attributes,
                                          job.run.part_bytes);
    });
    log_info("checkpoint " + whole.folder + rate_of(records, timer.seconds()));
  } catch (const Diverged& error) {
    throw Diverged(no_checkpoint(Error(concat(error.what(), "; the model has diverged; lower the learning rate"))));
  } catch (const Error& error) {
    throw Error(no_checkpoint(error));
  }
  try {
    folder.prune(whole, job.checkpoint.keep);
  } catch (const Error& error) {
    fail("step ", at.step, ": ", error.what(), "; the checkpoint of this step stands");
  }
  return whole.folder;
}

std::optional<Position> restore(Session& session, Index epoch_samples) {
  const Job& job = session.job;
  const std::string& resume = job.checkpoint.resume;
  if (resume != "never" || job.checkpoint.keep > 0) know_content(session);
  const auto whole = store::CheckpointFolder(session.comm, job.checkpoint_folder()).list();
  const auto require_overwrite = [&](const std::string& what) {
    if (!job.run.overwrite)
      fail(job.checkpoint_folder(), " holds checkpoints up to step ", whole.front().step, ", which ", what,
           " would replace; set run.overwrite = true if it may, or give this run another run.output");
  };
  if (resume == "never") {
    if (!whole.empty()) require_overwrite("a run that begins anew (checkpoint.resume = \"never\")");
    return std::nullopt;
  }
  std::string path = resume;
  if (resume == "auto") {
    if (whole.empty()) return std::nullopt;
    path = whole.front().folder;
  }
  const Timer timer;
  const store::OpenCheckpoint checkpoint = open_one(session.comm, path, resume != "auto");
  const std::string& file = checkpoint.state.path();
  const store::Attributes attributes = store::read_attributes(checkpoint.state);
  check_same_run(session, epoch_samples, attributes, file);
  const std::string content = content_then(attributes, file);
  check_same_task(store::attribute<std::string>(attributes, "deck", file), job, Purpose::resume,
                  same_files(session, content), file);
  check_same_bytes(session, content, file);
  Position at;
  at.step = store::attribute<std::int64_t>(attributes, "step", file);
  if (!whole.empty() && whole.front().step > at.step) require_overwrite("a run that goes on from " + path);
  store::read_state(session.exec, session.comm, checkpoint.state, all_items(session), store::Extent::all);
  session.model.embeddings.resume(at.step);
  at.epoch = store::attribute<std::int64_t>(attributes, "epoch", file);
  at.batch = store::attribute<std::int64_t>(attributes, "batch", file);
  at.samples = store::attribute<std::int64_t>(attributes, "samples", file);
  at.loss_sum = store::attribute<double>(attributes, "loss_sum", file);
  at.loss_samples = store::attribute<std::int64_t>(attributes, "loss_samples", file);
  if (attributes.count("running_metrics") != 0)
    at.metrics = store::attribute<std::vector<std::int64_t>>(attributes, "running_metrics", file);
  at.checkpoint = path;
  if (has_another_set(session, epoch_samples, attributes, file)) {
    at.epoch = at.batch = 0;
    log_info(concat("another data set: step ", at.step + 1, " takes the first batch of ", session.data.description));
  }
  log_info("resumed from " + path + ": step " + std::to_string(at.step));
  log_info("checkpoint read" + rate_of(checkpoint.manifest.datasets, timer.seconds()));
  return at;
}

TrainedModel open_trained(const comm::Communicator& comm, const Job& job, const std::string& wanted) {
  std::string path = wanted;
  if (path.empty()) {
    const std::string folder = job.checkpoint_folder();
    const auto whole = store::CheckpointFolder(comm, folder).list();
    if (whole.empty())
      fail(job.checkpoint.path.empty() ? "run.output" : "checkpoint.path", ": no whole checkpoint in ", folder,
           "; train first, or name one with checkpoint.resume = \"PATH\"");
    path = whole.front().folder;
  }
  TrainedModel trained{path, open_one(comm, path, !wanted.empty()), {}};
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
  store::read_state(session.exec, session.comm, trained.checkpoint.state, model_weights(session.comm, session.model),
                    store::Extent::part);
}

}  // namespace tesserec::train
