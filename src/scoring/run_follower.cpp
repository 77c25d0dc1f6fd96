// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/model_delta.hpp>
#include <tesserec/scoring/run_follower.hpp>
#include <tesserec/store/checkpoint_list.hpp>

namespace tesserec::scoring {
namespace {

namespace fs = std::filesystem;

constexpr double retry_seconds = 60;

/// Returns the time at which a file was written [seconds since 1970]; 0 if the file is gone.
double time_of(const std::string& path) {
  std::error_code gone;
  const auto time = fs::last_write_time(path, gone);
  if (gone) return 0;
  return std::chrono::duration<double>(std::chrono::file_clock::to_sys(time).time_since_epoch()).count();
}

/// Returns a text that differs whenever a whole state is added to the folder, removed or replaced.
std::string listing_of(const std::string& folder) try {
  std::vector<std::string> lines;
  for (const store::CheckpointEntry& entry : store::checkpoint_entries(folder))
    if (entry.ending.empty() || entry.ending == store::delta_ending)
      lines.push_back(concat(entry.folder, " ", shortest(time_of(entry.folder + "/manifest.json"))));
  std::ranges::sort(lines);
  return join(lines, "\n");
} catch (const std::exception& error) {
  return error.what();  // whoever reads the folder's states reports the error
}

std::string newest_checkpoint(const std::string& folder) {
  const std::vector<store::Checkpoint> whole = store::whole_checkpoints(folder);
  if (whole.empty()) fail(folder, ": there is no whole checkpoint to serve; train first, or name the run's folder");
  return whole.front().folder;
}

}  // namespace

StateChain chain_of(const store::Checkpoint& checkpoint, const std::vector<store::Checkpoint>& deltas) {
  StateChain chain;
  chain.states.push_back(checkpoint);
  for (const store::Checkpoint& delta : deltas) {
    const store::Checkpoint& last = chain.states.back();
    if (delta.step <= last.step) continue;
    if (delta.continues == store::Continued{last.step, last.seal}) {
      chain.states.push_back(delta);
      continue;
    }
    chain.broken = concat(delta.folder, " continues a state of step ", delta.continues->step,
                          " that is missing or has been replaced");
    break;
  }
  return chain;
}

StateChain newest_chain(const std::string& checkpoints) {
  const std::vector<store::Checkpoint> whole = store::whole_checkpoints(checkpoints);
  if (whole.empty()) return {};
  StateChain chain = chain_of(whole.front(), store::whole_deltas(checkpoints));
  for (const store::CheckpointEntry& entry : store::checkpoint_entries(checkpoints))
    if ((entry.ending.empty() || entry.ending == store::delta_ending) && chain.broken.empty() &&
        entry.step > chain.states.back().step)
      chain.broken = entry.folder + " has no readable manifest.json";
  return chain;
}

std::string checkpoints_of(const std::string& run) {
  const std::string inside = (fs::path(run) / "checkpoints").string();
  std::error_code unreadable;  // the reader reports the error
  return fs::is_directory(inside, unreadable) ? inside : run;
}

RunFollower::RunFollower(const Exec& exec, const std::string& run, std::optional<ServedFormat> rows)
    : exec_(exec), folder_(checkpoints_of(run)), model_(exec, newest_checkpoint(folder_), rows) {
  figures_.written = time_of(fs::path(model_.facts().file).parent_path().string() + "/manifest.json");
  poll();
}

bool RunFollower::poll() {
  std::string listing = listing_of(folder_);
  if (listing == seen_ && (refusal_.empty() || since_refusal_.seconds() < retry_seconds)) return false;
  seen_ = std::move(listing);
  const store::Continued before = served();
  try {
    take(newest_chain(folder_));
    refusal_.clear();
  } catch (const std::exception& error) {
    // The run may have removed a state while it was read.
    if (listing_of(folder_) == seen_) refuse(error.what());
  }
  return served() != before;
}

store::Continued RunFollower::served() const { return {model_.facts().step, model_.facts().seal}; }

FollowFigures RunFollower::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

void RunFollower::take(const StateChain& chain) {
  const auto at = [&] {
    return std::ranges::find_if(chain.states, [&](const store::Checkpoint& state) {
      return store::Continued{state.step, state.seal} == served();
    });
  };
  if (at() == chain.states.end()) restart(chain);
  for (auto next = at() + 1; next != chain.states.end(); ++next) {
    const ModelDelta delta = read_model_delta(exec_, next->folder, model_.copy(0));
    model_.update([&](ServedModel& model) { model.apply(exec_, delta); }, true);
    Index rows = 0;
    for (const ModelDelta::NewRows& table : delta.tables) rows += std::ssize(table.rows);
    taken(*next, concat("a delta of ", counted(rows, "row")));
  }
  if (!chain.broken.empty()) fail(chain.broken);
}

/// Takes a state that does not continue the served one: the newest checkpoint, and if that is older than the served
/// state, all of its deltas.
void RunFollower::restart(const StateChain& chain) {
  const Index step = model_.facts().step;
  if (chain.states.empty() || chain.states.back().step < step)
    fail(folder_, ": the served state of step ", step, " is gone, and there is no later one",
         chain.states.empty() ? "" : concat("; the newest is of step ", chain.states.back().step),
         "; start the server again to serve another one");
  const std::size_t end = chain.states.front().step >= step ? 1 : chain.states.size();
  const auto change = [&](ServedModel& model) {
    model.read(exec_, chain.states.front().folder);
    for (std::size_t i = 1; i < end; ++i) model.apply(exec_, read_model_delta(exec_, chain.states[i].folder, model));
  };
  model_.update(change, false);
  taken(chain.states[end - 1], end == 1 ? "a checkpoint" : concat("a checkpoint and ", counted(end - 1, "delta")));
}

void RunFollower::taken(const store::Checkpoint& state, const std::string& what) {
  const double written = time_of(state.folder + "/manifest.json");
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  {
    const std::lock_guard lock(mutex_);
    ++(state.continues ? figures_.deltas : figures_.checkpoints);
    figures_.written = written;
    figures_.delay = now.count() - written;
  }
  log_info(concat("serving step ", state.step, ": ", what, ", ", seconds_text(now.count() - written),
                  " after it was written"));
}

void RunFollower::refuse(const std::string& reason) {
  since_refusal_.reset();
  {
    const std::lock_guard lock(mutex_);
    ++figures_.refused;
  }
  if (reason != refusal_) log_warning(concat("step ", model_.facts().step, " is still served: ", reason));
  refusal_ = reason;
}

}  // namespace tesserec::scoring
