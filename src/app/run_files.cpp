// SPDX-License-Identifier: Apache-2.0
#include "run_files.hpp"

#include <algorithm>
#include <filesystem>

#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/deck/deck.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::app {
namespace {

namespace fs = std::filesystem;

/// Adds the checkpoints below `folder`, those too whose manifest cannot be read: they are what verify is for.
void add_checkpoints(const std::string& folder, std::vector<RunFile>& files) {
  if (!fs::is_directory(folder)) return;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && name.starts_with("step_") && !name.ends_with(".tmp")) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  for (const std::string& path : found) files.push_back({path, ""});
}

void add_data(const std::vector<std::string>& patterns, std::vector<RunFile>& files) {
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> paths = store::matching_paths(pattern);
    if (paths.empty()) files.push_back({pattern, "is not there; run.json names it"});
    for (const std::string& path : paths)
      if (std::none_of(files.begin(), files.end(), [&](const RunFile& file) { return file.path == path; }))
        files.push_back({path, ""});
  }
}

}  // namespace

bool is_run(const std::string& folder) {
  return fs::exists(folder + "/run.json") || fs::is_directory(folder + "/checkpoints");
}

std::vector<RunFile> files_of_run(const std::string& folder) {
  std::vector<RunFile> files;
  add_checkpoints(folder + "/checkpoints", files);
  if (fs::exists(folder + "/scores.h5")) files.push_back({folder + "/scores.h5", ""});
  const std::string record = folder + "/run.json";
  if (!fs::exists(record)) return files;
  const Json json = parse_json(read_file(record));
  if (!json.has("deck")) fail(record, " is no record of a run: it has no deck");
  const deck::Deck deck = deck::parse_deck(json.at("deck").string(), record, {});
  if (!deck.checkpoint.path.empty()) add_checkpoints(deck.checkpoint.path, files);
  add_data(deck.data.train, files);
  add_data(deck.data.evaluate, files);
  return files;
}

}  // namespace tesserec::app
