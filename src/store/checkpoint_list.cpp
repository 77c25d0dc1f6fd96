// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/checkpoint_list.hpp>

namespace tesserec::store {
namespace {

namespace fs = std::filesystem;

bool has_manifest(const CheckpointEntry& entry) {
  std::error_code unreadable;  // such as that of a folder that another process removes meanwhile
  return fs::exists(entry.folder + "/manifest.json", unreadable);
}

/// Returns the manifest of a whole state, or nullopt. Calls `skipped` if the manifest is unreadable or of another step,
/// unless the folder was removed meanwhile.
std::optional<Manifest> whole_manifest(const CheckpointEntry& entry, const Skipped& skipped) {
  if (!has_manifest(entry)) return std::nullopt;
  try {
    Manifest manifest = read_manifest(entry.folder);
    if (manifest.step == entry.step) return manifest;
    skipped(entry, concat(entry.folder, " is skipped: its manifest names step ", manifest.step, ", not ", entry.step));
  } catch (const Error& error) {
    if (has_manifest(entry)) skipped(entry, entry.folder + " is skipped: " + error.what());
  }
  return std::nullopt;
}

}  // namespace

bool is_run(const std::string& folder) {
  std::error_code unreadable;  // the reader reports the error
  return fs::exists(folder + "/run.json", unreadable) || fs::is_directory(folder + "/checkpoints", unreadable);
}

std::string checkpoints_of(const std::string& run) {
  std::error_code unreadable;  // the reader reports the error
  const fs::path inside = fs::path(run) / "checkpoints", record = fs::path(run) / "run.json";
  if (fs::exists(record, unreadable)) {
    try {
      const Json json = parse_json(read_file(record.string()));
      if (json.has("checkpoints")) return (fs::path(run) / json.at("checkpoints").string()).string();
    } catch (const Error& error) {
      const std::string message = error.what();
      fail(message.starts_with(record.string()) ? "" : record.string() + ": ", message);
    }
  }
  return fs::is_directory(inside, unreadable) ? inside.string() : run;
}

std::string checkpoint_name(const std::string& path, Index step) {
  return (fs::path(path) / ("step_" + right(std::to_string(step), 9, '0'))).string();
}

std::vector<CheckpointEntry> checkpoint_entries(const std::string& path) {
  std::vector<CheckpointEntry> found;
  if (!fs::is_directory(path)) return found;
  for (const fs::directory_entry& item : fs::directory_iterator(path)) {
    const std::string name = item.path().filename().string();
    std::error_code gone;
    if (name.rfind("step_", 0) != 0 || !item.is_directory(gone)) continue;
    CheckpointEntry entry{item.path().string(), 0, ""};
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 5, end, entry.step);
    entry.ending.assign(stop, end);
    if (error == std::errc()) found.push_back(entry);
  }
  return found;
}

void warn_skipped(const CheckpointEntry&, const std::string& line) { log_warning(line); }

std::vector<Checkpoint> whole_checkpoints(const std::string& path, const Skipped& skipped) {
  std::vector<Checkpoint> whole;
  const std::vector<CheckpointEntry> entries = checkpoint_entries(path);
  for (const char* ending : {"", ".old"})
    for (const CheckpointEntry& entry : entries) {
      const auto same = [&](const Checkpoint& other) { return other.step == entry.step; };
      if (entry.ending != ending || std::any_of(whole.begin(), whole.end(), same)) continue;
      if (const auto manifest = whole_manifest(entry, skipped); manifest && !manifest->continues)
        whole.push_back(
            {.step = entry.step, .folder = entry.folder, .origin = manifest->origin, .seal = manifest->state});
    }
  std::sort(whole.begin(), whole.end(), [](const Checkpoint& a, const Checkpoint& b) { return a.step > b.step; });
  return whole;
}

std::vector<Checkpoint> whole_deltas(const std::string& path, Index after, const Skipped& skipped) {
  std::vector<Checkpoint> whole;
  for (const CheckpointEntry& entry : checkpoint_entries(path)) {
    if (entry.ending != delta_ending || entry.step <= after) continue;
    const auto manifest = whole_manifest(entry, skipped);
    if (manifest && manifest->continues)
      whole.push_back({entry.step, entry.folder, manifest->origin, manifest->state, manifest->continues});
    else if (manifest)
      skipped(entry, entry.folder + " is skipped: its manifest is not a delta's, or of a newer version");
    else if (!has_manifest(entry) && fs::exists(entry.folder))
      skipped(entry, entry.folder + " is skipped: it has no manifest.json");
  }
  std::ranges::sort(whole, {}, &Checkpoint::step);
  return whole;
}

bool is_unchanged(const Checkpoint& state) try {
  const Manifest manifest = read_manifest(state.folder);
  return Continued{manifest.step, manifest.state} == Continued{state.step, state.seal};
} catch (const Error&) {
  return false;
}

StateChain chain_of(const Checkpoint& first, const std::vector<Checkpoint>& deltas) {
  StateChain chain;
  chain.states.push_back(first);
  for (const Checkpoint& delta : deltas) {
    const Checkpoint& last = chain.states.back();
    if (delta.step <= last.step) continue;
    if (delta.continues == Continued{last.step, last.seal}) {
      chain.states.push_back(delta);
      continue;
    }
    chain.broken = concat(delta.folder, " continues a state of step ", delta.continues->step,
                          " that is missing or has been replaced");
    break;
  }
  return chain;
}

}  // namespace tesserec::store
