// SPDX-License-Identifier: Apache-2.0
// Commands `tesserec sweep run DECK`, which runs each point as a job of its own, and `tesserec sweep collect`.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sweep_of.hpp"
#include <tesserec/comm/environment.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/sweep/sweep.hpp>

namespace tesserec::app {
namespace {

sweep::Sweep sweep_with_records(const Invocation& invocation) {
  sweep::Sweep sweep = sweep_of(invocation);
  read_records(sweep);
  return sweep;
}

void collect(const Invocation& invocation) {
  const sweep::Sweep sweep = sweep_with_records(invocation);
  if (const std::string text = other_data(sweep); !text.empty()) log_warning(text);
  const Json json = sweep::summary_json(sweep);
  store::make_output_folder(sweep.folder, "run.output");
  store::replace_proven(sweep.folder + "/sweep.csv", sweep::summary_csv(sweep));
  store::replace_proven(sweep.folder + "/sweep.json", json.text() + "\n");
  log_info("wrote " + sweep.folder + "/sweep.csv and sweep.json; for charts, run tesserec report " + sweep.folder);
  const std::string text = invocation.json ? json.text() + "\n" : sweep::summary_text(sweep);
  const std::string shown = printable(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

/// Makes the job `tesserec sweep run DECK INDEX` on the ranks of the deck, and the folder of its log.
ChildJob job_of(const Invocation& invocation, const sweep::Sweep& sweep, Index point) {
  ChildJob job;
  const int ranks = sweep.settings.ranks;
  std::vector<std::string> launcher = sweep.settings.launcher;
  if (launcher.empty() && ranks > 1) launcher = {"mpirun", "--bind-to", "none", "-n", "{ranks}"};
  for (std::string word : launcher) {
    if (const std::size_t at = word.find("{ranks}"); at != std::string::npos)
      word.replace(at, 7, std::to_string(ranks));
    job.words.push_back(word);
  }
  job.words.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  for (const std::string& word : {std::string("sweep"), std::string("run"), invocation.deck, std::to_string(point)})
    job.words.push_back(word);
  for (const std::string& text : invocation.overrides) job.words.insert(job.words.end(), {"--set", text});
  job.words.insert(job.words.end(), invocation.kokkos_words.begin(), invocation.kokkos_words.end());
  job.log = sweep.runs[point].folder + "/log.txt";
  store::make_output_folder(sweep.runs[point].folder, "run.output");
  return job;
}

std::uintmax_t size_of(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

/// Returns the last message in a log after byte `from`, without the program's name, or the exit code if there is none.
std::string reason(const std::string& log, std::uintmax_t from, int code) {
  std::ifstream in(log);
  in.seekg(std::streamoff(from));
  const std::string head = "tesserec: ";
  std::string message = concat("exit code ", code);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(head)) message = line.substr(head.size());
  return message;
}

/// Runs the points for which the open rung waits. Returns 0, or the signal that ended it. Throws Error if any
/// failed without a signal.
int run_rung(const Invocation& invocation, const sweep::Sweep& sweep, const sweep::Standing& standing) {
  const std::vector<Index>& waiting = standing.waiting;
  const std::size_t total = standing.in.back().size();
  std::size_t done = total - waiting.size();
  if (sweep.rungs.size() > 1)
    log_info(concat("rung ", standing.open() + 1, " of ", sweep.rungs.size(), ": ", counted(total, "point"),
                    " to step ", sweep.rungs[standing.open()]));
  std::vector<ChildJob> jobs;
  std::vector<std::uintmax_t> logged;
  for (const Index point : waiting) logged.push_back(size_of(jobs.emplace_back(job_of(invocation, sweep, point)).log));
  std::vector<std::string> failed;
  const int signal = run_jobs(jobs, sweep.settings.jobs, [&](std::size_t job, int code) {
    const Index point = waiting[job];
    sweep::Sweep updated = sweep;
    updated.runs[point].record = sweep::read_record(sweep.runs[point].folder, sweep.runs[point].digest);
    const std::optional<double> value = updated.value(point, standing.open());
    std::string end = value ? sweep.settings.metric + " " + significant(*value, 6) : "ended by a signal";
    if (value && !updated.last(point)->diverged.empty()) end = "diverged";
    const bool interrupted = code == exit_code_signal || Signals::received() != 0;
    if (!value && !interrupted) {
      failed.push_back(concat("index ", point, " (", jobs[job].log, "): ", reason(jobs[job].log, logged[job], code)));
      end = "failed";
    }
    done += value ? 1 : 0;
    log_info(concat(done, " of ", total, ": index ", point, ", ", sweep.runs[point].label, ", ", end));
  });
  if (failed.empty()) return signal;
  const std::string failures = concat(counted(failed.size(), "point"),
                                      " failed; the same command repeats only unfinished points: ", join(failed, "; "));
  if (signal == 0) fail(failures);
  log_warning(failures);
  return signal;
}

}  // namespace

int sweep_collect(const Invocation& invocation, const comm::Communicator& comm) {
  if (comm.rank() == 0) collect(invocation);
  return 0;
}

std::optional<int> sweep_run(const Invocation& invocation) {
  if (comm::is_launched() || !invocation.index.empty()) return std::nullopt;
  const deck::Deck deck = invocation.read_deck();
  // A point of one rank is not a rank of Slurm's job.
  if (deck.sweep.ranks == 1 && deck.sweep.launcher.empty()) ::unsetenv("SLURM_NTASKS");
  std::optional<store::FileLock> lock;
  for (;;) {
    const sweep::Sweep sweep = sweep_with_records(invocation);
    const sweep::Standing standing = sweep.standing();
    if (standing.waiting.empty()) break;
    refuse_other_data(sweep);
    if (!lock) require_trainable(invocation, sweep, standing.waiting, deck.sweep.ranks, deck.sweep.launcher.empty());
    store::make_output_folder(sweep.folder, "run.output");
    if (!lock) lock.emplace(sweep.folder + "/sweep.lock", deck.run.lock_wait);
    if (run_rung(invocation, sweep, standing) != 0) {
      log_info("the sweep was ended by a signal; the same command resumes it");
      return exit_code_signal;
    }
  }
  collect(invocation);
  return 0;
}

}  // namespace tesserec::app
