// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <unistd.h>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/store/checkpoint_list.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/seal.hpp>

namespace tesserec::parallel_io {
namespace {

namespace fs = std::filesystem;

// Renames the folder to a name that nobody reads before it removes the files.
void remove_folder(const std::string& folder) {
  const std::string trash = folder + ".trash";
  fs::remove_all(trash);
  store::rename_durably(folder, trash);
  fs::remove_all(trash);
}

void remove_leftovers(const std::string& path) {
  const std::vector<store::Checkpoint> whole = store::whole_checkpoints(path);
  for (const store::CheckpointEntry& entry : store::checkpoint_entries(path)) {
    const bool counts = std::any_of(whole.begin(), whole.end(), [&](const store::Checkpoint& checkpoint) {
      return checkpoint.folder == entry.folder;
    });
    if (entry.ending.ends_with(".tmp") || entry.ending.ends_with(".trash") ||
        (entry.ending.ends_with(".old") && !counts))
      fs::remove_all(entry.folder);
  }
}

// Removes the deltas for which `goes` is true, newest first, so that a kill leaves the beginning of their chain.
void remove_deltas(const std::string& path, const std::function<bool(const store::CheckpointEntry&)>& goes) {
  std::vector<store::CheckpointEntry> all = store::checkpoint_entries(path);
  std::ranges::sort(all, std::ranges::greater{}, &store::CheckpointEntry::step);
  for (const store::CheckpointEntry& entry : all)
    if (entry.ending == store::delta_ending && goes(entry)) remove_folder(entry.folder);
}

// Removes the deltas that continue no checkpoint of the folder, and those after step `newest`.
void remove_detached_deltas(const std::string& path, Index newest) {
  std::vector<store::Continued> states;
  for (const store::Checkpoint& checkpoint : store::whole_checkpoints(path))
    states.push_back({checkpoint.step, checkpoint.seal});
  std::vector<std::string> attached;
  for (const store::Checkpoint& delta : store::whole_deltas(path)) {
    if (delta.step > newest || std::ranges::count(states, *delta.continues) == 0) continue;
    states.push_back({delta.step, delta.seal});
    attached.push_back(delta.folder);
  }
  remove_deltas(path, [&](const auto& entry) { return std::ranges::count(attached, entry.folder) == 0; });
}

}  // namespace

void CheckpointFolder::prepare() const {
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    try {
      store::make_folder_durably(path_);
    } catch (const Error& error) {
      fail(error.what(), "; set run.output or checkpoint.path to a folder for checkpoints");
    }
    if (access(path_.c_str(), W_OK) != 0)
      fail(path_, ": cannot write checkpoints: ", std::strerror(errno), "; set run.output or checkpoint.path");
  });
}

store::Checkpoint CheckpointFolder::begin(Index step, const std::optional<store::Continued>& continues) const {
  const std::string ending = continues ? store::delta_ending : "";
  const store::Checkpoint begun{
      .step = step, .folder = store::checkpoint_name(path_, step) + ending + ".tmp", .continues = continues};
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    remove_leftovers(path_);
    if (continues) remove_deltas(path_, [&](const auto& entry) { return entry.step > continues->step; });
    store::make_folder_durably(begun.folder);
  });
  return begun;
}

store::Checkpoint CheckpointFolder::commit(const store::Checkpoint& begun, const store::StateRecords& datasets) const {
  store::Checkpoint whole = begun;
  whole.folder = fs::path(begun.folder).replace_extension().string();
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    const std::optional<store::Seal> state = store::read_seal(begun.state_file());
    if (!state) fail(begun.state_file(), ": the file has no seal, so another program replaced it");
    store::write_verified(begun.folder + "/manifest.json",
                          store::manifest_text({store::checkpoint_version, begun.step, state->text(), begun.origin,
                                                datasets, begun.continues}));
    store::sync_path(begun.folder);
    const std::string old = whole.folder + ".old";
    if (fs::exists(whole.folder)) {
      fs::remove_all(old);
      store::rename_durably(whole.folder, old);
    }
    store::rename_durably(begun.folder, whole.folder);
    whole.seal = state->text();
  });
  whole.seal = comm_.broadcast(whole.seal, 0);
  return whole;
}

void CheckpointFolder::abandon(const store::Checkpoint& begun) const noexcept {
  std::error_code ignored;  // The next checkpoint removes the folder.
  if (comm_.rank() == 0) fs::remove_all(begun.folder, ignored);
}

std::vector<store::Checkpoint> CheckpointFolder::list() const {
  return agreed([&] { return store::whole_checkpoints(path_); });
}

std::vector<store::Checkpoint> CheckpointFolder::deltas() const {
  return agreed([&] { return store::whole_deltas(path_); });
}

/// Returns on all ranks what `find` returns on the first.
std::vector<store::Checkpoint> CheckpointFolder::agreed(
    const std::function<std::vector<store::Checkpoint>()>& find) const {
  std::string text;
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    for (const store::Checkpoint& checkpoint : find()) {
      const store::Continued continues = checkpoint.continues.value_or(store::Continued{-1, ""});
      text += concat(checkpoint.step, ' ', checkpoint.folder, '\n', checkpoint.origin, '\n', checkpoint.seal, '\n',
                     continues.step, ' ', continues.seal, '\n');
    }
  });
  std::istringstream lines(comm_.broadcast(text, 0));
  std::vector<store::Checkpoint> whole;
  store::Checkpoint checkpoint;
  store::Continued continues;
  while (lines >> checkpoint.step && lines.get() == ' ' && std::getline(lines, checkpoint.folder) &&
         std::getline(lines, checkpoint.origin) && std::getline(lines, checkpoint.seal) && lines >> continues.step &&
         lines.get() == ' ' && std::getline(lines, continues.seal)) {
    checkpoint.continues.reset();
    if (continues.step >= 0) checkpoint.continues = continues;
    whole.push_back(checkpoint);
  }
  return whole;
}

void CheckpointFolder::prune(const store::Checkpoint& newest, const Kept& kept_states) const {
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    remove_leftovers(path_);
    if (!kept_states.deltas) remove_deltas(path_, [](const auto&) { return true; });
    const Index keep = kept_states.checkpoints;
    Index kept = 0;
    for (const store::Checkpoint& checkpoint : store::whole_checkpoints(path_)) {
      const bool is_new = checkpoint.step <= newest.step && (keep <= 0 || kept < keep);
      kept += is_new;
      if (!is_new && checkpoint.step != kept_states.best) remove_folder(checkpoint.folder);
    }
    if (kept_states.deltas) remove_detached_deltas(path_, newest.step);
  });
}

std::optional<BestEvaluation> CheckpointFolder::best() const {
  std::string text;
  comm::agree(comm_, [&] {
    const std::string path = path_ + "/best.json";
    if (comm_.rank() == 0 && fs::exists(path)) text = read_file(path);
  });
  text = comm_.broadcast(text, 0);
  if (text.empty()) return std::nullopt;
  try {
    const Json json = parse_json(text);
    return BestEvaluation{json.at("metric").string(), json.at("value").number(), json.at("step").integer()};
  } catch (const Error& error) {
    fail(path_, "/best.json: ", error.what(), "; tesserec did not write this file: move it away");
  }
}

void CheckpointFolder::mark_best(const std::optional<BestEvaluation>& best) const {
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    const std::string path = path_ + "/best.json";
    if (best)
      store::replace_proven(
          path,
          Json::object().set("metric", best->metric).set("value", best->value).set("step", best->step).text() + "\n");
    else if (fs::remove(path))
      store::sync_path(path_);
  });
}

std::string checkpoints_of(const comm::Communicator& comm, const std::string& run) {
  std::string folder;
  comm::agree(comm, [&] {
    if (comm.rank() == 0) folder = store::checkpoints_of(run);
  });
  return comm.broadcast(folder, 0);
}

store::Checkpoint newest_checkpoint(const CheckpointFolder& folder, const std::vector<store::Checkpoint>& whole) {
  const store::Checkpoint& newest = whole.front();
  const std::vector<store::Checkpoint> deltas = folder.deltas();
  if (!deltas.empty() && deltas.back().step > newest.step)
    log_common_warning(concat(folder.path(), ": deltas up to step ", deltas.back().step, " are newer than ",
                              newest.folder, " and are not read; resume the run for a checkpoint"));
  return newest;
}

std::string find_checkpoint(const comm::Communicator& comm, const std::string& path) {
  const auto exists = [&](const fs::path& file) {
    std::error_code unreadable;  // The reader reports the error.
    return comm.max(comm.rank() == 0 && fs::exists(file, unreadable) ? 1 : 0) != 0;
  };
  fs::path plain = path;
  if (!plain.has_filename()) plain = plain.parent_path();  // drops the slash at the end
  if (exists(plain / "manifest.json")) return plain.string();
  const fs::path run = plain.parent_path().empty() ? "." : plain.parent_path();
  if (plain.filename() != "best" || exists(plain) || !exists(run)) {
    const CheckpointFolder folder(comm, checkpoints_of(comm, plain.string()));
    const std::vector<store::Checkpoint> whole = folder.list();
    return whole.empty() ? path : newest_checkpoint(folder, whole).folder;
  }
  const CheckpointFolder folder(comm, checkpoints_of(comm, run.string()));
  const std::optional<BestEvaluation> best = folder.best();
  for (const store::Checkpoint& checkpoint : folder.list())
    if (best && checkpoint.step == best->step) return checkpoint.folder;
  fail(path, ": there is no best checkpoint", best ? concat(" (best.json names step ", best->step, ")") : "",
       "; set checkpoint.keep_best in the training run");
}

std::string seal_of(const comm::Communicator& comm, const std::string& folder) {
  std::string seal;
  comm::agree(comm, [&] {
    std::error_code unreadable;  // An unreadable folder counts as one without a manifest.
    if (comm.rank() == 0 && fs::exists(folder + "/manifest.json", unreadable))
      seal = store::read_manifest(folder).state;
  });
  return comm.broadcast(seal, 0);
}

}  // namespace tesserec::parallel_io
