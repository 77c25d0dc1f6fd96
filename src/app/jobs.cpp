// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep_of.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>

extern char** environ;

namespace tesserec::app {
namespace {

void check(int error, const char* call) {
  if (error != 0) fail(call, ": ", std::strerror(error));
}

/// Starter of child processes, whose output is appended to `log`. A child has its own process group, so that a
/// terminal's Ctrl-C reaches it only through this process.
class Spawn {
 public:
  explicit Spawn(const std::string& log) {
    check(posix_spawn_file_actions_init(&files_), "posix_spawn_file_actions_init");
    check(posix_spawnattr_init(&attributes_), "posix_spawnattr_init");
    check(posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0), "addopen");
    check(posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666),
          "addopen");
    check(posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO), "adddup2");
    sigset_t standard;  // A launcher may need signals that this process ignores.
    sigemptyset(&standard);
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGTTOU, SIGTTIN}) sigaddset(&standard, signal);
    check(posix_spawnattr_setsigdefault(&attributes_, &standard), "posix_spawnattr_setsigdefault");
    check(posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF),
          "posix_spawnattr_setflags");
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  /// Starts the program words[0] with its arguments. Returns the child's process id, or -1 after a warning.
  pid_t operator()(const std::vector<std::string>& words) const {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    pid_t child = -1;
    const int error = posix_spawnp(&child, argv[0], &files_, &attributes_, argv.data(), environ);
    if (error != 0)
      log_warning("cannot start \"" + words[0] + "\": " + std::strerror(error) + "; check sweep.launcher");
    return error == 0 ? child : -1;
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// Returns the exit code of a child that has ended, 128 + N after signal N, or nothing while it runs.
std::optional<int> ended_code(pid_t child) {
  int status = 0;
  const pid_t pid = ::waitpid(child, &status, WNOHANG);
  if (pid < 0 && errno != EINTR) fail("waitpid: ", std::strerror(errno));
  if (pid <= 0) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_jobs(const std::vector<ChildJob>& jobs, int at_once, const std::function<void(std::size_t, int)>& ended) {
  using Clock = std::chrono::steady_clock;
  const Signals signals;
  const Signals::Orderly orderly;
  std::map<pid_t, std::size_t> running;
  std::size_t next = 0;
  Clock::time_point last_signal;
  std::exception_ptr error;  // exception of ended(), thrown after all children have ended
  const auto report = [&](std::size_t job, int code) {
    try {
      ended(job, code);
    } catch (...) {
      error = std::current_exception();
    }
  };
  const auto is_over = [&] { return Signals::received() != 0 || error; };
  while (!running.empty() || (next < jobs.size() && !is_over())) {
    while (next < jobs.size() && std::ssize(running) < at_once && !is_over()) {
      const std::size_t job = next++;
      if (const pid_t child = Spawn(jobs[job].log)(jobs[job].words); child > 0)
        running[child] = job;
      else
        report(job, 127);
    }
    for (auto child = running.begin(); child != running.end();) {
      const std::optional<int> code = ended_code(child->first);
      if (code) report(child->second, *code);
      child = code ? running.erase(child) : std::next(child);
    }
    // The signal is repeated each second, since a launcher may lose it before it has installed its handler.
    if (is_over() && Clock::now() - last_signal > std::chrono::seconds(1)) {
      for (const auto& [child, job] : running) ::kill(-child, SIGUSR1);
      last_signal = Clock::now();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (error) std::rethrow_exception(error);
  return Signals::received();
}

}  // namespace tesserec::app
