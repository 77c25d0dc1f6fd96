// SPDX-License-Identifier: Apache-2.0
// Command `tesserec replay --step`: trains from a run's checkpoint to a later step again, and compares what comes out.
#include "replay_step.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/training.hpp>

namespace tesserec::app {
namespace {

constexpr int replay_differs = 1;  // exit code, as that of the command diff

/// Checkpoints of a run around a step.
struct Around {
  std::optional<store::Checkpoint> before;  ///< the last one before the step; none = the run began at step 0
  std::optional<store::Checkpoint> after;   ///< the first one of the step or later
  store::StateRecords after_datasets;       ///< those of `after`, which the run may remove; on rank 0
};

Around checkpoints_around(const comm::Communicator& comm, const std::string& run, Index step) {
  const std::string folder = parallel_io::checkpoints_of(comm, run);
  const std::vector<store::Checkpoint> list = parallel_io::CheckpointFolder(comm, folder).list();
  if (list.empty()) fail(run, ": there is no whole checkpoint; name the folder of a run, or its checkpoint.path");
  Around around;
  for (const store::Checkpoint& checkpoint : list)  // newest first
    if (checkpoint.step >= step)
      around.after = checkpoint;
    else if (!around.before)
      around.before = checkpoint;
  comm::agree(comm, [&] {
    if (around.after && comm.rank() == 0) around.after_datasets = store::read_manifest(around.after->folder).datasets;
  });
  return around;
}

/// Returns words for the checkpoint from which the run began, by the origin of `after`, its first one. Throws Error
/// unless the deck still names it.
std::string begin_of(const comm::Communicator& comm, const train::CheckpointSettings& deck,
                     const store::Checkpoint& after) {
  const bool starts = after.origin.starts_with(train::start_origin(""));
  const std::string& path = starts ? deck.start_from : deck.resume;
  const std::string key = starts ? "checkpoint.start_from" : "checkpoint.resume";
  const std::string what = starts ? "step 0 with the weights of " : "";
  const std::string found = parallel_io::find_checkpoint(comm, path), seal = parallel_io::seal_of(comm, found);
  const std::string origin = starts ? train::start_origin(seal) : train::resume_origin(seal);
  if (!seal.empty() && after.origin == origin) return concat(what, found, " (", key, ")");
  fail(after.folder, ": the run began from another checkpoint (", after.origin, "), which ", key, " = \"", path,
       "\" no longer names; give --step one after step ", after.step);
}

/// Deck of a run that is trained again, and words for the place where it begins.
struct Again {
  deck::Deck deck;
  std::string begin;
};

/// Returns the deck of a checkpoint, as a deck of a run in the folder `to` that begins as the run around it did.
Again again_of(const comm::Communicator& comm, const Around& around, const std::string& to) {
  const std::string folder = around.before ? around.before->folder : around.after->folder;
  const store::OpenCheckpoint open = parallel_io::open_checkpoint(comm, folder);
  const std::string& file = open.state.path();
  const auto text = store::attribute<std::string>(store::read_attributes(open.state), "deck", file);
  std::vector<std::string> keys = {
      "run.output=" + to,           "run.mlperf_log=\"\"", "checkpoint.path=\"\"",         "checkpoint.every_steps=0",
      "checkpoint.delta_seconds=0", "checkpoint.keep=2",   "checkpoint.keep_deltas=false", "checkpoint.keep_best=false",
      "evaluate.every_steps=0",     "evaluate.patience=0", "evaluate.stop_at_auc=0"};
  const bool begins_elsewhere = !around.before && !around.after->origin.empty();
  if (!begins_elsewhere) {
    keys.push_back("checkpoint.resume=" + (around.before ? folder : std::string("never")));
    for (const char* key : {"checkpoint.start_from=\"\"", "checkpoint.start_states=false", "checkpoint.accept=[]"})
      keys.push_back(key);
  }
  Again again = {deck::parse_deck(text, "deck of " + file, keys), around.before ? around.before->folder : "the start"};
  if (begins_elsewhere) again.begin = begin_of(comm, again.deck.checkpoint, *around.after);
  return again;
}

/// Folder that a command creates: its first rank removes it again unless it is kept.
class NewFolder {
 public:
  NewFolder(const comm::Communicator& comm, std::string path) : comm_(comm), path_(std::move(path)) {}
  ~NewFolder() {
    std::error_code ignored;  // The next command that is to create the folder names it.
    if (!kept_ && comm_.rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  void keep() { kept_ = true; }

 private:
  const comm::Communicator& comm_;
  std::string path_;
  bool kept_ = false;
};

/// Trains up to the step and writes its checkpoint, whose folder it returns.
std::string train_to(train::Training& training, Index step) {
  if (training.position().step > step)
    fail("the run begins at step ", training.position().step, ", so it has no step ", step, "; give a later --step");
  while (training.position().step < step && training.step()) continue;
  if (const int signal = training.so_far().signal; signal != 0 && training.position().step < step)
    throw Stopped(signal);
  if (training.position().step < step) fail("the run ends at step ", training.position().step, ", before step ", step);
  return training.save();
}

}  // namespace

int replay_step(const Invocation& invocation, const comm::Communicator& comm) {
  const std::optional<Index> step = parse_number<Index>(invocation.options.at("--step"));
  if (!step || *step < 1)
    fail("--step must be an integer of at least 1, but is \"", invocation.options.at("--step"), "\"");
  if (!invocation.has("--to")) fail("replay --step needs --to FOLDER, which gets the checkpoint of the step");
  const std::string& to = invocation.options.at("--to");
  std::error_code unreadable;  // training reports it
  if (comm.max(Index{std::filesystem::exists(to, unreadable)}) > 0)
    fail(to, " exists; name another folder with --to, or remove it");
  comm::agree(comm, [&] {
    if (comm.rank() == 0) store::make_output_folder_of(to, "--to");
  });
  const Around around = checkpoints_around(comm, invocation.deck, *step);
  const auto [deck, begin] = again_of(comm, around, to);
  const train::Job job = job_of(deck);
  const auto source = train::open_source(comm, job, data::Use::train);
  require_network(deck, source->info());
  const auto session = make_session(deck, comm, job, source->info());
  train::prepare_source(*session, *source, data::Use::train);
  show_banner(*session, source->info());

  NewFolder folder(comm, to);
  train::Training training(*session, *source, nullptr);
  const std::string rebuilt = train_to(training, *step);
  folder.keep();
  log_info(concat("step ", *step, ", from ", begin, ": ", rebuilt));
  Json json = Json::object().set("step", *step).set("checkpoint", rebuilt);
  bool equal = true;
  if (around.after) {
    const std::string ours = train_to(training, around.after->step);
    comm::agree(comm, [&] {
      if (comm.rank() == 0) equal = store::read_manifest(ours).datasets == around.after_datasets;
    });
    equal = comm.max(Index{!equal}) == 0;
    const std::string& after = around.after->folder;
    if (equal)
      log_info(concat("step ", around.after->step, ": all numbers are those of ", after));
    else
      log_info(concat("step ", around.after->step, ": other numbers than in ", after, "; tesserec diff ", ours, " ",
                      after, " names the first"));
    json.set("compared", around.after->folder).set("equal", equal);
  } else {
    log_info("the run has no checkpoint of that step or later to compare with");
  }
  training.stop("replay");
  training.finish();
  if (invocation.json) print(comm, json);
  return equal ? 0 : replay_differs;
}

}  // namespace tesserec::app
