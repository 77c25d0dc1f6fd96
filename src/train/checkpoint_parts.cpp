// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_parts.hpp"

#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/content.hpp>
#include <tesserec/train/model_state.hpp>
#include <tesserec/train/trained_data.hpp>

namespace tesserec::train {
namespace {

/// Lists "NAME, BYTES CHECKSUM" of each file of the training data, with NAME without folders.
std::vector<std::string> file_lines(const Session& session) {
  std::vector<std::string> lines;
  for (std::size_t f = 0; f < session.contents.size(); ++f) {
    const std::string& path = session.data.files[f].path;
    lines.push_back(path.substr(path.rfind('/') + 1) + ", " + session.contents[f]);
  }
  return lines;
}

}  // namespace

void require_whole(const Session& session) {
  wait(session.exec);
  session.model.tables().groups().check();
}

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
      {"data.window", job.data.window},
      {"deck", job.deck},
  };
  add_data_facts(session.data, attributes);
  if (const auto files = file_lines(session); !files.empty()) attributes["data_files"] = files;
  if (!at.metrics.empty()) attributes["running_metrics"] = at.metrics;
  return attributes;
}

std::vector<store::StateItem> all_items(const Session& session) {
  std::vector<store::StateItem> items = model_weights(session.comm, session.model);
  const std::vector<store::StateItem> states = model_states(session.comm, session.model);
  items.insert(items.end(), states.begin(), states.end());
  return items;
}

parallel_io::CheckpointFolder::Kept kept_states(const CheckpointSettings& checkpoint, std::optional<Index> best) {
  return {.checkpoints = checkpoint.keep, .best = best, .deltas = checkpoint.keep_deltas};
}

void fill_content_checksums(Session& session) {
  if (session.contents.empty()) session.contents = data::contents(session.comm, session.data.files);
}

std::string rate_of(const store::StateRecords& records, double seconds) {
  double bytes = 0;
  for (const auto& [name, record] : records) bytes += double(sizeof(float)) * double(record.rows * record.columns);
  return concat(": ", bytes_text(bytes), " in ", seconds_text(seconds), ", ", bytes_text(bytes / seconds), "/s");
}

NamedCheckpoint open_named(const comm::Communicator& comm, const std::string& path, const std::string& key) {
  try {
    const std::string folder = parallel_io::find_checkpoint(comm, path);
    return {folder, parallel_io::open_checkpoint(comm, folder)};
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    throw Error((key.empty() ? "" : key + ": ") + error.what());
  }
}

}  // namespace tesserec::train
