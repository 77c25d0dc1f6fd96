// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/model_delta.hpp>
#include <tesserec/scoring/run_follower.hpp>

namespace tesserec::scoring {
namespace {

namespace fs = std::filesystem;

constexpr double retry_seconds = 60;
constexpr auto wait_time = std::chrono::milliseconds(200);  // between looks for the first checkpoint

/// Returns the time at which a file or folder was written [seconds since 1970]; 0 if it is gone.
double time_of(const std::string& path) {
  std::error_code gone;
  const auto time = fs::last_write_time(path, gone);
  if (gone) return 0;
  return std::chrono::duration<double>(std::chrono::file_clock::to_sys(time).time_since_epoch()).count();
}

double written_time(const store::Checkpoint& state) { return time_of(state.folder + "/manifest.json"); }

bool is_state(const store::CheckpointEntry& entry) {
  return entry.ending.empty() || entry.ending == store::delta_ending;
}

/// Returns a text that differs whenever a state is added to the folder, removed or replaced, all of which are renames
/// in the folder. One look costs as much for a long chain as for a short one, but for the names.
std::string look_of(const std::string& folder) try {
  std::vector<std::string> names;
  for (const store::CheckpointEntry& entry : store::checkpoint_entries(folder))
    if (is_state(entry)) names.push_back(entry.folder);
  std::ranges::sort(names);
  names.push_back(shortest(time_of(folder)));
  return join(names, "\n");
} catch (const std::exception& error) {
  return error.what();  // whoever reads the folder's states reports the error
}

/// Throws Error if a path can be no run that has yet to write its first checkpoint: it is no folder, or its files are
/// none of a run, such as those of a data set.
void require_future_run(const std::string& path) {
  std::error_code unreadable;  // such as that of a folder that does not exist yet
  if (!fs::exists(path, unreadable) || store::is_run(path) || !store::checkpoint_entries(path).empty()) return;
  if (!fs::is_directory(path, unreadable)) fail(path, " is no folder; name a run's folder with --follow");
  bool is_empty = true;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, unreadable)) {
    const std::string name = entry.path().filename().string();
    for (const char* of_run : {"lock", "metrics.jsonl", "data", "point.json", "point.lock", "log.txt"})
      if (name == of_run) return;
    is_empty = false;
  }
  if (!is_empty)
    fail(path, " is no run's folder: it has neither run.json nor checkpoints, but other files; name a run's folder, ",
         "or an empty one where a run will begin");
}

bool is_same(const store::Checkpoint& a, const store::Checkpoint& b) { return a.step == b.step && a.seal == b.seal; }

}  // namespace

RunFollower::RunFollower(const Exec& exec, const std::string& run, std::optional<ServedFormat> rows,
                         const std::string& vocabulary)
    : exec_(exec) {
  if (fs::exists(fs::path(run) / "manifest.json"))
    fail(run, " is one state, which does not change; omit --follow, or name a run's folder");
  open(run, rows, vocabulary);
  poll();
}

void RunFollower::open(const std::string& run, std::optional<ServedFormat> rows, const std::string& vocabulary) {
  bool waits = false;
  while (model_ == nullptr) {
    if (const int signal = Signals::received()) throw Stopped(signal);
    folder_ = store::checkpoints_of(run);
    const std::vector<store::Checkpoint> whole = store::whole_checkpoints(folder_, [&](const auto& entry, auto& line) {
      if (std::exchange(said_[entry.folder], line) != line) log_warning(line);
    });
    if (whole.empty()) {
      if (!waits) require_future_run(run);
      if (!waits) log_info(folder_ + " has no whole checkpoint yet; waiting for the first");
      waits = true;
      std::this_thread::sleep_for(wait_time);
      continue;
    }
    served_ = whole.front();
    figures_.written = written_time(served_);
    try {
      model_ = std::make_unique<LiveModel>(exec_, served_.folder, rows, vocabulary);
      served_.seal = model_->facts().seal;
    } catch (const Error&) {
      if (store::is_unchanged(served_)) throw;
      lose();
    }
  }
}

bool RunFollower::poll() {
  const bool retries = !refusal_.empty() && since_refusal_.seconds() >= retry_seconds;
  std::string look = look_of(folder_);
  if (look == seen_ && !retries) return false;
  seen_ = std::move(look);
  if (retries) refused_.reset();
  const store::Checkpoint before = served_;
  reading_.reset();
  try {
    if (take(newest_chain())) refusal_.clear();
    losses_ = 0;
  } catch (const std::exception& error) {
    if (reading_ && !store::is_unchanged(*reading_))
      lose();
    else
      refuse(message_of(error));
  }
  return !is_same(served_, before);
}

FollowFigures RunFollower::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

/// Returns the chain that leads to the folder's newest state, by its manifests: from the served state on if no newer
/// checkpoint was written, else from the newest checkpoint on. Warns once of each folder in it that is skipped.
store::StateChain RunFollower::newest_chain() {
  std::map<std::string, std::string> skips;
  const auto skipped = [&](const store::CheckpointEntry& entry, const std::string& line) {
    skips[entry.folder] = line;
  };
  const std::vector<store::CheckpointEntry> entries = store::checkpoint_entries(folder_);  // before what is written now
  const std::vector<store::Checkpoint> whole = store::whole_checkpoints(folder_, skipped);
  if (whole.empty()) return {};
  const bool goes_on =
      (whole.front().step < served_.step || is_same(whole.front(), served_)) && store::is_unchanged(served_);
  const store::Checkpoint& first = goes_on ? served_ : whole.front();
  store::StateChain chain = store::chain_of(first, store::whole_deltas(folder_, first.step, skipped));
  for (const store::CheckpointEntry& entry : entries) {
    const auto skip = skips.find(entry.folder);
    if (entry.step > chain.states.back().step) {
      if (is_state(entry) && chain.broken.empty() && fs::exists(entry.folder))
        chain.broken = skip != skips.end() ? skip->second : entry.folder + " has no manifest.json";
    } else if (skip != skips.end() && said_[entry.folder] != skip->second) {
      log_warning(skip->second);
    }
  }
  said_ = std::move(skips);
  return chain;
}

/// Takes the states of a chain behind the served one. Returns whether the last one is served; a state that was refused
/// is left alone. Throws Error if the chain is broken, or a state is damaged.
bool RunFollower::take(const store::StateChain& chain) {
  const auto at = [&] {
    return std::ranges::find_if(chain.states, [&](const store::Checkpoint& state) { return is_same(state, served_); });
  };
  if (at() == chain.states.end() && !restart(chain)) return false;
  for (auto next = at() + 1; next != chain.states.end(); ++next) {
    if (Signals::received() != 0 || !begin(*next)) return false;
    const ModelDelta delta = delta_of(*next, model_->copy(0));
    Index rows = 0;
    for (const ModelDelta::NewRows& table : delta.tables) rows += std::ssize(table.rows);
    model_->update([&](ServedModel& model) { model.apply(exec_, delta); }, true,
                   [&] { taken(*next, 0, 1, concat("a delta of ", counted(rows, "row"))); });
  }
  if (!chain.broken.empty()) fail(chain.broken);
  return true;
}

/// Takes a state that does not continue the served one: the newest checkpoint, and if that is older than the served
/// state, all of its deltas.
bool RunFollower::restart(const store::StateChain& chain) {
  if (chain.states.empty() || chain.states.back().step < served_.step)
    fail(folder_, ": the served state of step ", served_.step, " is gone, and there is no later one",
         chain.states.empty() ? "" : concat("; the newest is of step ", chain.states.back().step),
         "; start the server again to serve another one");
  const std::size_t end = chain.states.front().step >= served_.step ? 1 : chain.states.size();
  const store::Checkpoint& last = chain.states[end - 1];
  for (std::size_t i = 0; i < end; ++i)
    if (!begin(chain.states[i])) return false;
  const auto change = [&](ServedModel& model) {
    begin(chain.states.front());
    model.read(exec_, chain.states.front());
    for (std::size_t i = 1; i < end; ++i) {
      begin(chain.states[i]);
      model.apply(exec_, delta_of(chain.states[i], model));
    }
  };
  const auto deltas = Index(end - 1);
  model_->update(change, false, [&] {
    taken(last, 1, deltas, deltas == 0 ? "a checkpoint" : concat("a checkpoint and ", counted(deltas, "delta")));
  });
  return true;
}

/// Notes that a state is read from now on. Returns false if it was refused.
bool RunFollower::begin(const store::Checkpoint& state) {
  if (refused_ && is_same(state, *refused_)) return false;
  reading_ = state;
  written_ = written_time(state);
  return true;
}

/// Reads a delta, whose folder may have been replaced since it was listed.
ModelDelta RunFollower::delta_of(const store::Checkpoint& state, const ServedModel& model) const {
  ModelDelta delta = read_model_delta(exec_, state.folder, model);
  if (delta.seal != state.seal) fail(state.folder, " was replaced while it was read");
  return delta;
}

void RunFollower::taken(const store::Checkpoint& state, Index checkpoints, Index deltas, const std::string& what) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  served_ = state;
  reading_.reset();
  {
    const std::lock_guard lock(mutex_);
    figures_.checkpoints += checkpoints;
    figures_.deltas += deltas;
    figures_.written = written_;
    figures_.delay = now.count() - written_;
  }
  log_info(concat("serving step ", state.step, ": ", what, ", ", seconds_text(now.count() - written_),
                  " after it was written"));
}

void RunFollower::refuse(const std::string& reason) {
  since_refusal_.reset();
  refused_ = reading_;
  {
    const std::lock_guard lock(mutex_);
    ++figures_.refused;
  }
  if (reason != refusal_) log_warning(concat("step ", served_.step, " is still served: ", reason));
  refusal_ = reason;
}

/// Counts a state that is gone, and looks again at the next poll.
void RunFollower::lose() {
  seen_.clear();
  {
    const std::lock_guard lock(mutex_);
    ++figures_.lost;
  }
  if (++losses_ == 2)
    log_warning(concat(folder_, ": the run removes states faster than they are read",
                       model_ == nullptr ? "" : concat(", so step ", served_.step, " is still served"),
                       "; raise checkpoint.keep, or the time between checkpoints"));
}

}  // namespace tesserec::scoring
