// SPDX-License-Identifier: Apache-2.0
// Command `tesserec verify`: compares files on disk with their checksums. The ranks share the work.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "command.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/deck/deck.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/store/checkpoint_list.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::app {
namespace {

/// File or checkpoint of a run.
struct RunFile {
  std::string path;
  std::string lacks;  ///< reason why it has no checksum to compare; "" if it may have one
};

namespace fs = std::filesystem;

/// Adds the checkpoints in `folder`, even those whose manifest cannot be read, since verify is to find them.
void add_checkpoints(const std::string& folder, std::vector<RunFile>& files) {
  if (!fs::is_directory(folder)) return;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool leftover = name.ends_with(".tmp") || name.ends_with(".trash");
    if (entry.is_directory() && name.starts_with("step_") && !leftover) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  for (const std::string& path : found) files.push_back({path, ""});
}

void add_data(const std::vector<std::string>& patterns, std::vector<RunFile>& files) {
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> paths = store::matching_paths(pattern);
    if (paths.empty()) files.push_back({pattern, "does not exist, but run.json names it"});
    for (const std::string& path : paths)
      if (std::none_of(files.begin(), files.end(), [&](const RunFile& file) { return file.path == path; }))
        files.push_back({path, ""});
  }
}

/// Returns a run's checkpoints, oldest first, its scores and its datasets. Throws Error for an unreadable run.json.
std::vector<RunFile> files_of_run(const std::string& folder) {
  std::vector<RunFile> files;
  const std::string own = folder + "/checkpoints", checkpoints = store::checkpoints_of(folder);
  add_checkpoints(own, files);
  if (checkpoints != own && checkpoints != folder) add_checkpoints(checkpoints, files);
  if (fs::exists(folder + "/scores.h5")) files.push_back({folder + "/scores.h5", ""});
  const std::string record = folder + "/run.json";
  if (!fs::exists(record)) return files;
  const Json json = parse_json(read_file(record));
  if (!json.has("deck")) fail(record, ": this file has no \"deck\", so it is not the record of a run");
  // An older program took any name in checkpoint.accept.
  const deck::Deck deck = deck::parse_deck(json.at("deck").string(), record, {"checkpoint.accept=[]"});
  if (!json.has("checkpoints") && !deck.checkpoint.path.empty())  // an older program wrote it
    add_checkpoints(deck.checkpoint.path, files);
  add_data(deck.data.train, files);
  add_data(deck.data.evaluate, files);
  return files;
}

/// Reads all datasets of a checkpoint of version 1, a share of rows on each rank, since only datasets have checksums
/// there. Throws Error for a damaged one. Collective.
void verify_datasets(const comm::Communicator& comm, const store::PartedFile& state) {
  require_gpu();  // Only checkpoints of version 1 need Kokkos.
  const Kokkos::ScopeGuard kokkos;
  const Exec exec;
  for (const auto& [name, record] : store::list_state(state)) {
    const Index begin = record.rows * comm.rank() / comm.size(), end = record.rows * (comm.rank() + 1) / comm.size();
    std::vector<float> rows((end - begin) * record.columns);
    const store::Slab slab{begin, end - begin, 0, record.columns};
    parallel_io::read_state(
        exec, comm, state,
        {{name, record.rows, record.columns, slab, store::placed_rows(rows.data(), record.columns)}});
  }
}

/// Returns the tables with their numbers of rows and columns.
Json tables_of(const store::StateRecords& datasets) {
  const std::string head = "tables/", tail = "/weight";
  Json tables = Json::object();
  for (const auto& [name, record] : datasets)
    if (name.starts_with(head) && name.ends_with(tail))
      tables.set(name.substr(head.size(), name.size() - head.size() - tail.size()),
                 Json::object().set("rows", record.rows).set("columns", record.columns));
  return tables;
}

/// Returns a checkpoint's facts about its training data, by the names of the attributes (docs/formats.md).
Json data_facts(const store::Attributes& attributes) {
  Json facts = Json::object();
  for (const char* name : {"features", "rows", "dense_names", "transforms", "borders", "tasks", "label_values",
                           "vocabulary_digest", "samples_per_epoch", "data_digest", "data_files"})
    if (const auto found = attributes.find(name); found != attributes.end())
      std::visit([&](const auto& value) { facts.set(name, value); }, found->second);
  return facts;
}

/// Formats tables and facts as lines, each after a line break.
std::string lines_of(const Json& tables, const Json& facts) {
  std::string text;
  for (const std::string& name : tables.names())
    text += concat("\n  table ", name, ": ", tables.at(name).at("rows").integer(), " x ",
                   tables.at(name).at("columns").integer());
  for (const std::string& name : facts.names()) text += "\n  " + name + ": " + facts.at(name).text();
  return text;
}

/// Facts about an undamaged file or checkpoint.
struct Verified {
  std::size_t parts = 0;
  Json tables = Json::object(), facts = Json::object();
  std::string seal = {};                           ///< Manifest::state of a checkpoint or a delta
  std::optional<store::Continued> continues = {};  ///< state that a delta continues
};

/// Verifies the folder of a checkpoint or a delta. Collective.
Verified verify_checkpoint(const comm::Communicator& comm, const std::string& path) {
  const bool delta = fs::path(path + "/").parent_path().extension() == ".delta";
  const store::OpenCheckpoint checkpoint =
      delta ? parallel_io::open_delta(comm, path) : parallel_io::open_checkpoint(comm, path);
  const store::Manifest& manifest = checkpoint.manifest;
  if (manifest.version == 1) verify_datasets(comm, checkpoint.state);
  return {checkpoint.state.parts(), tables_of(manifest.datasets), data_facts(store::read_attributes(checkpoint.state)),
          manifest.state, manifest.continues};
}

/// Verifies a model folder and returns its tables and data as those of a checkpoint. Every rank reads all of it.
Verified verify_model(const comm::Communicator& comm, const std::string& path) {
  Verified verified;
  comm::agree(comm, [&] {
    const scoring::ModelManifest manifest = scoring::verify_model_folder(path);
    for (const scoring::FolderTable& table : manifest.tables)
      verified.tables.set(table.name, Json::object().set("rows", table.rows).set("columns", table.dim));
    std::vector<std::string> features;
    for (const embedding::DataFeature& feature : manifest.facts.features) features.push_back(feature.name);
    verified.facts.set("features", features)
        .set("dense_names", manifest.facts.dense_names)
        .set("vocabulary_digest", manifest.facts.vocabulary)
        .set("weights_digest", manifest.weights_digest);
  });
  return verified;
}

/// Verifies a folder of a checkpoint or a model. Collective.
Verified verify_folder(const comm::Communicator& comm, const std::string& path) {
  return scoring::is_model_folder(path) ? verify_model(comm, path) : verify_checkpoint(comm, path);
}

/// Verifies a file. Returns nothing if it has no seal, since another program wrote it. Collective.
std::optional<Verified> verify_file(const comm::Communicator& comm, const std::string& path) {
  const store::PartedFile file = parallel_io::open_state(comm, path);
  if (file.seal().empty()) return std::nullopt;
  return Verified{file.parts()};
}

std::string whole_text(const std::string& path, const Verified& verified) {
  std::string text = path + " is whole";
  if (verified.parts > 0) text += concat(", with ", verified.parts, " parts");
  if (verified.continues) text += concat(", the changes since step ", verified.continues->step);
  return text;
}

constexpr const char* no_checksum = "has no checksum, because another program wrote it";

/// Returns files_of_run() of rank 0. Collective.
std::vector<RunFile> agreed_files(const comm::Communicator& comm, const std::string& folder) {
  std::string text;
  comm::agree(comm, [&] {
    if (comm.rank() == 0)
      for (const RunFile& file : files_of_run(folder)) text += file.path + "\n" + file.lacks + "\n";
  });
  std::istringstream lines(comm.broadcast(text, 0));
  std::vector<RunFile> files;
  for (RunFile file; std::getline(lines, file.path) && std::getline(lines, file.lacks);) files.push_back(file);
  return files;
}

/// Verifies all files of a run. Warns of each damaged file, then throws Error with their number. Collective.
void verify_run(const comm::Communicator& comm, const std::string& folder, bool json) {
  Json list = Json::array(Json::Layout::lines);
  std::vector<std::string> damaged;
  Index checked = 0;
  std::set<std::string> seals;  // of whole checkpoints and deltas so far, which are listed by step
  for (RunFile& file : agreed_files(comm, folder)) {
    Json entry = Json::object().set("path", file.path);
    std::string error;
    if (file.lacks.empty()) {
      try {
        std::optional<Verified> verified = std::filesystem::is_directory(file.path) ? verify_checkpoint(comm, file.path)
                                                                                    : verify_file(comm, file.path);
        if (verified && verified->continues && seals.count(verified->continues->seal) == 0)
          fail("continues a state of step ", verified->continues->step, " that is missing, damaged or replaced");
        if (verified) {
          if (!verified->seal.empty()) seals.insert(verified->seal);
          log_info(whole_text(file.path, *verified));
          entry.set("whole", true).set("parts", Index(verified->parts));
          ++checked;
        } else {
          file.lacks = no_checksum;
        }
      } catch (const Stopped&) {
        throw;
      } catch (const Error& e) {  // The Error is the same on all ranks.
        error = e.what();
      }
    }
    if (!file.lacks.empty()) entry.set("whole", Json()).set("why", file.lacks);
    if (!error.empty()) damaged.push_back(file.path);
    if (const std::string message = error.empty() ? file.lacks : error; !message.empty() && comm.rank() == 0)
      log_warning(message.starts_with(file.path) ? message : file.path + " " + message);
    list.add(entry);
  }
  if (!damaged.empty())
    fail(damaged.size(), " of ", counted(checked + std::ssize(damaged), "file"), " of ", folder,
         " are damaged: ", join(damaged));
  if (checked == 0) fail(folder, ": this run has no checkpoint, scores or data set with a checksum");
  log_info(concat(folder, ": ", counted(checked, "file"), " whole"));
  if (json) print(comm, Json::object().set("path", folder).set("whole", true).set("files", list));
}

}  // namespace

int verify(const Invocation& invocation, const comm::Communicator& comm) {
  const std::string& path = invocation.deck;
  const bool is_folder = std::filesystem::is_directory(path);
  if (is_folder && !std::filesystem::exists(path + "/manifest.json") && store::is_run(path)) {
    verify_run(comm, path, invocation.json);
    return 0;
  }
  const std::optional<Verified> verified = is_folder ? verify_folder(comm, path) : verify_file(comm, path);
  if (!verified) fail(path, " ", no_checksum);
  log_info(whole_text(path, *verified) + lines_of(verified->tables, verified->facts));
  Json json = Json::object().set("path", path).set("whole", true).set("parts", Index(verified->parts));
  if (!verified->tables.names().empty()) json.set("tables", verified->tables).set("data", verified->facts);
  if (invocation.json) print(comm, json);
  return 0;
}

}  // namespace tesserec::app
