// SPDX-License-Identifier: Apache-2.0
// Commands `tesserec sweep list`, and `tesserec sweep run DECK INDEX`, which a task of an array calls.
#include <algorithm>

#include "sweep_of.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/sweep/sweep.hpp>

namespace tesserec::app {
namespace {

bool has(const std::vector<Index>& sorted, Index point) {
  return std::binary_search(sorted.begin(), sorted.end(), point);
}

void show(const sweep::Sweep& sweep, Index point) {
  const sweep::Standing standing = sweep.standing();
  const std::string state = sweep::state(sweep, standing, point);
  std::string line = concat("index ", point, ", ", sweep.runs[point].label, ": ", state);
  if (const sweep::Outcome* outcome = sweep.last(point); outcome != nullptr && state != "diverged")
    line +=
        concat(" at step ", outcome->steps, ", ", sweep.settings.metric, " ", significant(sweep.last_value(point), 6));
  if (state == "started")
    line += has(standing.waiting, point)
                ? concat("; the same command resumes it",
                         sweep.rungs.size() > 1 ? concat(" to step ", sweep.rungs[standing.open()]) : "")
                : concat("; waiting for ", counted(std::ssize(standing.waiting), "more point"), " to finish this rung");
  log_info(line);
}

/// Returns the rung to which the point must train now, or -1 if it has nothing to do. Writes the point's record, unless
/// the point cannot run on `ranks` ranks.
Index begin(const Invocation& invocation, sweep::Sweep& sweep, Index point, int ranks) {
  read_records(sweep);
  sweep::Run& run = sweep.runs[point];
  const sweep::Standing standing = sweep.standing();
  if (!has(standing.waiting, point)) return -1;
  refuse_other_data(sweep);
  if (!run.record) {
    require_trainable(invocation, sweep, {point}, ranks, false);
    run.record = sweep::Record{point, run.digest, {}, {}};
    for (std::size_t k = 0; k < run.point.size(); ++k)
      run.record->overrides.push_back(sweep.settings.keys[k].path + "=" + run.point[k]);
  }
  if (run.record->outcomes.empty()) run.record->data_digest = run.data_digest;
  sweep::write_record(run.folder, *run.record);
  return Index(standing.open());
}

/// Adds the outcome of a rung to the point's record. `diverged`: message if the point diverged, else "".
void end(sweep::Sweep& sweep, Index point, Index rung, const std::string& diverged) {
  sweep::Run& run = sweep.runs[point];
  const Index steps = sweep.rungs[std::size_t(rung)];
  sweep::Outcome outcome;
  outcome.diverged = diverged;
  if (diverged.empty()) outcome = sweep::outcome_of_run(run.folder, sweep.settings.metric);
  if (diverged.empty() && steps != sweep::to_the_end && outcome.steps != steps)
    fail(run.folder, ": the run ended at step ", outcome.steps, ", but halving compares points at step ", steps,
         ", which its data do not reach; raise train.epochs or lower train.steps");
  run.record->outcomes.push_back(std::move(outcome));
  sweep::write_record(run.folder, *run.record);
}

}  // namespace

int sweep_list(const Invocation& invocation, const comm::Communicator& comm) {
  const sweep::Sweep sweep = sweep_of(invocation);
  if (invocation.json)
    print(comm, sweep::list_json(sweep));
  else
    print(comm, sweep::list_text(sweep));
  return 0;
}

int sweep_point(const Invocation& invocation, const comm::Communicator& comm) {
  if (invocation.index.empty())
    fail("tesserec sweep run ", invocation.deck,
         " starts the ranks of each point itself (sweep.ranks, sweep.launcher); start it without a launcher, or give "
         "the index of one point");
  sweep::Sweep sweep;
  Index point = 0, rung = -1;
  store::FileLock lock;  // lock of rank 0, from before the record is read until it is written
  comm::agree(comm, [&] {
    sweep = sweep_of(invocation);
    point = point_of(invocation, std::ssize(sweep.runs));
    if (comm.rank() != 0) return;
    const std::string& folder = sweep.runs[point].folder;
    store::make_output_folder(folder, "run.output");
    lock = store::FileLock(folder + "/point.lock", invocation.read_deck().run.lock_wait);
    rung = begin(invocation, sweep, point, comm.size());
  });
  rung = comm.max(rung);
  int code = 0;
  if (rung >= 0) {
    std::string diverged;
    try {
      const Invocation training = training_of(invocation, sweep, point, std::size_t(rung));
      code = with_key_lines(training, [&] { return train(training, comm); });
    } catch (const Diverged& error) {
      diverged = error.what();
    }
    comm::agree(comm, [&] {
      if (comm.rank() == 0 && code == 0) end(sweep, point, rung, diverged);
    });
    if (comm.rank() == 0 && !diverged.empty()) log_warning(diverged + "; the sweep continues without this point");
  }
  if (comm.rank() == 0) show(sweep, point);
  if (invocation.json && comm.rank() == 0) print(comm, sweep::summary_json(sweep).at("points").elements()[point]);
  return code;
}

}  // namespace tesserec::app
