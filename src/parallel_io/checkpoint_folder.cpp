// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <unistd.h>

#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/seal.hpp>

namespace tesserec::parallel_io {
namespace {

namespace fs = std::filesystem;

// A folder step_N and its ending: ".tmp" is being written, ".old" was whole and is being replaced, ".trash" is being
// removed.
struct Entry {
  std::string folder;
  Index step = 0;
  std::string ending;
};

std::string folder_of(const std::string& path, Index step) {
  return (fs::path(path) / ("step_" + right(std::to_string(step), 9, '0'))).string();
}

std::vector<Entry> entries(const std::string& path) {
  std::vector<Entry> found;
  if (!fs::is_directory(path)) return found;
  for (const fs::directory_entry& item : fs::directory_iterator(path)) {
    const std::string name = item.path().filename().string();
    if (name.rfind("step_", 0) != 0 || !item.is_directory()) continue;
    Entry entry{item.path().string(), 0, ""};
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 5, end, entry.step);
    entry.ending.assign(stop, end);
    if (error == std::errc()) found.push_back(entry);
  }
  return found;
}

/// Returns the manifest of a whole checkpoint, or nullopt. Logs a warning if the manifest is unreadable or of another
/// step.
std::optional<store::Manifest> whole_manifest(const Entry& entry) {
  if (!fs::exists(entry.folder + "/manifest.json")) return std::nullopt;
  try {
    store::Manifest manifest = store::read_manifest(entry.folder);
    if (manifest.step == entry.step) return manifest;
    log_warning(concat(entry.folder, " is skipped: its manifest names step ", manifest.step, ", not ", entry.step));
  } catch (const Error& error) {
    log_warning(entry.folder + " is skipped: " + error.what());
  }
  return std::nullopt;
}

// Lists the whole checkpoints, newest first. step_N.old counts only without a whole step_N.
std::vector<store::Checkpoint> whole_checkpoints(const std::string& path) {
  std::vector<store::Checkpoint> whole;
  for (const char* ending : {"", ".old"})
    for (const Entry& entry : entries(path)) {
      const auto same = [&](const store::Checkpoint& other) { return other.step == entry.step; };
      if (entry.ending != ending || std::any_of(whole.begin(), whole.end(), same)) continue;
      if (const auto manifest = whole_manifest(entry)) whole.push_back({entry.step, entry.folder, manifest->origin});
    }
  std::sort(whole.begin(), whole.end(),
            [](const store::Checkpoint& a, const store::Checkpoint& b) { return a.step > b.step; });
  return whole;
}

// Renames the folder to a name that nobody reads before it removes the files.
void remove_folder(const std::string& folder, Index step) {
  const std::string trash = folder_of(fs::path(folder).parent_path().string(), step) + ".trash";
  fs::remove_all(trash);
  store::rename_durably(folder, trash);
  fs::remove_all(trash);
}

void remove_leftovers(const std::string& path) {
  const std::vector<store::Checkpoint> whole = whole_checkpoints(path);
  for (const Entry& entry : entries(path)) {
    const bool counts = std::any_of(whole.begin(), whole.end(), [&](const store::Checkpoint& checkpoint) {
      return checkpoint.folder == entry.folder;
    });
    if (entry.ending == ".tmp" || entry.ending == ".trash" || (entry.ending == ".old" && !counts))
      fs::remove_all(entry.folder);
  }
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

store::Checkpoint CheckpointFolder::begin(Index step) const {
  const store::Checkpoint begun{step, folder_of(path_, step) + ".tmp"};
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    remove_leftovers(path_);
    store::make_folder_durably(begun.folder);
  });
  return begun;
}

store::Checkpoint CheckpointFolder::commit(const store::Checkpoint& begun, const store::StateRecords& datasets) const {
  const store::Checkpoint whole{begun.step, folder_of(path_, begun.step), begun.origin};
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    const std::optional<store::Seal> state = store::read_seal(begun.state_file());
    if (!state) fail(begun.state_file(), ": the file has no seal, so another program replaced it");
    store::write_verified(
        begun.folder + "/manifest.json",
        store::manifest_text({store::checkpoint_version, begun.step, state->text(), begun.origin, datasets}));
    store::sync_path(begun.folder);
    const std::string old = whole.folder + ".old";
    if (fs::exists(whole.folder)) {
      fs::remove_all(old);
      store::rename_durably(whole.folder, old);
    }
    store::rename_durably(begun.folder, whole.folder);
  });
  return whole;
}

void CheckpointFolder::abandon(const store::Checkpoint& begun) const noexcept {
  std::error_code ignored;  // The next checkpoint removes the folder.
  if (comm_.rank() == 0) fs::remove_all(begun.folder, ignored);
}

std::vector<store::Checkpoint> CheckpointFolder::list() const {
  std::string text;
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    for (const store::Checkpoint& checkpoint : whole_checkpoints(path_))
      text += concat(checkpoint.step, ' ', checkpoint.folder, '\n', checkpoint.origin, '\n');
  });
  std::istringstream lines(comm_.broadcast(text, 0));
  std::vector<store::Checkpoint> whole;
  store::Checkpoint checkpoint;
  while (lines >> checkpoint.step && lines.get() == ' ' && std::getline(lines, checkpoint.folder) &&
         std::getline(lines, checkpoint.origin))
    whole.push_back(checkpoint);
  return whole;
}

void CheckpointFolder::prune(const store::Checkpoint& newest, Index keep, std::optional<Index> best) const {
  comm::agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    remove_leftovers(path_);
    Index kept = 0;
    for (const store::Checkpoint& checkpoint : whole_checkpoints(path_)) {
      const bool is_new = checkpoint.step <= newest.step && (keep <= 0 || kept < keep);
      kept += is_new;
      if (!is_new && checkpoint.step != best) remove_folder(checkpoint.folder, checkpoint.step);
    }
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

std::string find_checkpoint(const comm::Communicator& comm, const std::string& path) {
  const auto exists = [&](const fs::path& file) {
    std::error_code unreadable;  // The reader reports the error.
    return comm.max(comm.rank() == 0 && fs::exists(file, unreadable) ? 1 : 0) != 0;
  };
  const auto folder_in = [&](const fs::path& run) {
    return (exists(run / "checkpoints") ? run / "checkpoints" : run).string();
  };
  fs::path plain = path;
  if (!plain.has_filename()) plain = plain.parent_path();  // drops the slash at the end
  if (exists(plain / "manifest.json")) return plain.string();
  const fs::path run = plain.parent_path().empty() ? "." : plain.parent_path();
  if (plain.filename() != "best" || exists(plain) || !exists(run)) {
    const std::vector<store::Checkpoint> whole = CheckpointFolder(comm, folder_in(plain)).list();
    return whole.empty() ? path : whole.front().folder;
  }
  const CheckpointFolder folder(comm, folder_in(run));
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

store::OpenCheckpoint open_checkpoint(const comm::Communicator& comm, const std::string& folder) {
  std::optional<store::OpenCheckpoint> open;
  comm::agree(comm, [&] { open.emplace(store::open_checkpoint(folder, comm.rank(), comm.size())); });
  // Version 1 has no seals. The checksum of its manifest, which has the checksums of all datasets, is compared instead.
  const store::Manifest& manifest = open->manifest;
  const std::string text = store::manifest_text(manifest);
  const std::string content =
      manifest.state.empty()
          ? "datasets " + store::checksum_text(store::bytes_checksum("manifest", text.data(), std::ssize(text)))
          : "seal " + manifest.state;
  comm::require_same(comm, {{folder, concat("step ", manifest.step, ", ", content)}},
                     "all ranks must read the same checkpoint; look for an older copy on another node");
  return std::move(*open);
}

}  // namespace tesserec::parallel_io
