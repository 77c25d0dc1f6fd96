// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "task.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/store/checkpoint_folder.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/table_state.hpp>

namespace tesserec::train {
namespace {

using store::StateItem;

void add_dense(const Session& session, const std::string& state, const PlacedVector<float>& values,
               std::vector<StateItem>& items) {
  for (const model::Parameter& p : session.model.dense.layout())
    items.push_back({"dense/" + p.name + "/" + state,
                     p.rows,
                     p.columns,
                     {0, p.rows},
                     values.data() + p.offset,
                     p.columns,
                     session.comm.rank() == 0,
                     values.place()});
}

/// Error where gradients of the last step have not come.
void require_whole(const Session& session) {
  wait(session.exec);
  session.comm.transport().check();
}

std::string digest(Session& session, const std::vector<StateItem>& items) {
  require_whole(session);
  return store::combined_digest(store::state_checksums(session.exec, session.comm, items));
}

std::vector<StateItem> all_items(Session& session) {
  std::vector<StateItem> items = weight_items(session);
  const std::vector<StateItem> state = optimizer_items(session);
  items.insert(items.end(), state.begin(), state.end());
  return items;
}

/// The checkpoint's model must have been trained on such data as are at hand.
void check_same_data(const Session& session, const store::Attributes& attributes, const std::string& file) {
  const data::SourceInfo& data = session.data;
  if (const Index then = store::attribute<std::int64_t>(attributes, "dense_features", file);
      then != data.dense_features)
    fail(file, " was made with ", then, " dense features, the data at hand (", data.description, ") have ",
         data.dense_features, "; preprocess both with one deck, or train anew");
  const auto vocabulary = store::attribute<std::string>(attributes, "vocabulary_digest", file);
  if (!vocabulary.empty() && !data.vocabulary.empty() && vocabulary != data.vocabulary)
    fail(file, " was made with data whose ids mean other things than those of ", data.description,
         " (vocabulary_digest ", vocabulary, " and ", data.vocabulary,
         "); give data preprocessed with the same training files, or train anew");
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
  check_same_data(session, attributes, file);
  demand("samples_per_epoch", epoch_samples, (std::string("give the same training data") + fresh).c_str());
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

/// ": 12.3 MB in 0.004 s, 3.1 GB/s".
std::string rate_of(const store::StateRecords& records, double seconds) {
  double bytes = 0;
  for (const auto& [name, record] : records) bytes += double(sizeof(float)) * double(record.rows * record.columns);
  return concat(": ", fixed(1e-6 * bytes, 1), " MB in ", fixed(seconds, 3), " s, ", fixed(1e-9 * bytes / seconds, 2),
                " GB/s");
}

/// Whether the training data have the bytes that the checkpoint's had. False where that is not known.
bool same_files(const Session& session, const store::Attributes& attributes) {
  const auto then = attributes.find("data_digest");
  return then != attributes.end() && !session.data.content.empty() &&
         then->second == store::Attribute(session.data.content);
}

}  // namespace

std::vector<StateItem> weight_items(Session& session) {
  std::vector<StateItem> items = table_weights(session.comm, session.model.tables());
  add_dense(session, "value", session.model.parameters, items);
  return items;
}

std::vector<StateItem> optimizer_items(Session& session) {
  std::vector<StateItem> items = table_states(session.comm, session.model.tables());
  for (const auto& state : session.model.optimizer.state()) add_dense(session, state.name, state.values, items);
  return items;
}

std::string weights_digest(Session& session) { return digest(session, weight_items(session)); }
std::string state_digest(Session& session) { return digest(session, optimizer_items(session)); }

std::string save(Session& session, const Position& at, Index epoch_samples) {
  const Job& job = session.job;
  const store::CheckpointFolder folder(session.comm, job.checkpoint_folder());
  store::Attributes attributes = {
      {"step", at.step},
      {"epoch", at.epoch},
      {"batch", at.batch},
      {"samples", at.samples},
      {"loss_sum", at.loss_sum},
      {"loss_samples", at.loss_samples},
      {"samples_per_epoch", epoch_samples},
      {"dense_features", session.data.dense_features},
      {"vocabulary_digest", session.data.vocabulary},
      {"data_digest", session.data.content},
      {"train.batch_size", job.train.step_samples()},
      {"train.lanes", Index{session.lanes.count()}},
      {"train.shuffle", Index{job.train.shuffle}},
      {"run.seed", Index(job.run.seed)},
      {"deck", job.deck},
  };
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
    throw Diverged(no_checkpoint(error));
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
  const store::OpenCheckpoint checkpoint = store::open_checkpoint(session.comm, path);
  const std::string& file = checkpoint.state.path();
  const store::Attributes attributes = store::read_attributes(checkpoint.state);
  check_same_run(session, epoch_samples, attributes, file);
  check_same_task(store::attribute<std::string>(attributes, "deck", file), job, Purpose::resume,
                  same_files(session, attributes), file);
  Position at;
  at.step = store::attribute<std::int64_t>(attributes, "step", file);
  if (!whole.empty() && whole.front().step > at.step) require_overwrite("a run that goes on from " + path);
  store::read_state(session.exec, session.comm, checkpoint.state, all_items(session), store::Extent::all);
  at.epoch = store::attribute<std::int64_t>(attributes, "epoch", file);
  at.batch = store::attribute<std::int64_t>(attributes, "batch", file);
  at.samples = store::attribute<std::int64_t>(attributes, "samples", file);
  at.loss_sum = store::attribute<double>(attributes, "loss_sum", file);
  at.loss_samples = store::attribute<std::int64_t>(attributes, "loss_samples", file);
  if (attributes.count("running_metrics") != 0)
    at.metrics = store::attribute<std::vector<std::int64_t>>(attributes, "running_metrics", file);
  at.checkpoint = path;
  log_info("resumed from " + path + ": step " + std::to_string(at.step));
  log_info("checkpoint read" + rate_of(checkpoint.manifest.datasets, timer.seconds()));
  return at;
}

std::string restore_weights(Session& session, const std::string& wanted) {
  std::string path = wanted;
  if (path.empty()) {
    const std::string folder = session.job.checkpoint_folder();
    const auto whole = store::CheckpointFolder(session.comm, folder).list();
    if (whole.empty())
      fail("no whole checkpoint in ", folder, "; train first, or name one with checkpoint.resume = \"PATH\"");
    path = whole.front().folder;
  }
  const store::OpenCheckpoint checkpoint = store::open_checkpoint(session.comm, path);
  const std::string& file = checkpoint.state.path();
  const store::Attributes attributes = store::read_attributes(checkpoint.state);
  check_same_data(session, attributes, file);
  check_same_task(store::attribute<std::string>(attributes, "deck", file), session.job, Purpose::weights, true, file);
  store::read_state(session.exec, session.comm, checkpoint.state, weight_items(session), store::Extent::part);
  return path;
}

}  // namespace tesserec::train
