// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <map>
#include <utility>
#include <vector>

#include <sys/eventfd.h>
#include <unistd.h>

#include <tesserec/core/signals.hpp>

namespace tesserec {
namespace {

// Signals whose default action ends a process, except those of a fault in the program itself.
constexpr std::pair<int, const char*> named[] = {
    {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},    {SIGUSR1, "SIGUSR1"},     {SIGUSR2, "SIGUSR2"},
    {SIGHUP, "SIGHUP"},   {SIGXCPU, "SIGXCPU"}, {SIGALRM, "SIGALRM"},    {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"},
    {SIGIO, "SIGIO"},     {SIGPWR, "SIGPWR"},   {SIGSTKFLT, "SIGSTKFLT"}};

// Returns whether a signal is caught even if it was ignored. Shells start background processes with SIGINT and SIGQUIT
// ignored, and a person may still send them.
bool is_always_caught(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT || signal == SIGUSR1;
}

// Returns whether a second signal of this kind ends the process at once. People and container runtimes repeat them.
bool insists(int signal) { return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT; }

// Nanoseconds within which two signals count as one, since timeout(1) signals both the process and its group.
constexpr std::int64_t repeat_window = 300'000'000;

std::atomic<int> first_signal = 0;
std::atomic<std::int64_t> insisted_at = 0;  // nanoseconds of the monotonic clock; 0 = never
std::atomic<int> orderly = 0;               // objects of Signals::Orderly
int alive = 0;                              // objects of Signals
int event_file = -1;                        // eventfd, which stays open
std::map<int, struct sigaction> replaced;   // actions that the handlers replaced

std::int64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Records the first signal, and ends the process at a repeated one that insists. Calls only functions that are safe in
// a signal handler.
void on_signal(int signal) {
  const int error = errno;
  if (insists(signal)) {
    std::int64_t first = 0;
    const std::int64_t now = nanoseconds();
    if (!insisted_at.compare_exchange_strong(first, now) && now - first > repeat_window) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
  }
  int none = 0;
  if (first_signal.compare_exchange_strong(none, signal)) {
    const std::uint64_t increment = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_file, &increment, sizeof increment);
  }
  errno = error;
}

std::vector<int> all_signals() {
  std::vector<int> all;
  for (const auto& [signal, name] : named) all.push_back(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) all.push_back(signal);
  return all;
}

}  // namespace

std::string signal_text(int signal) {
  std::string name = signal >= SIGRTMIN ? concat("SIGRTMIN+", signal - SIGRTMIN) : "unnamed";
  for (const auto& [number, text] : named)
    if (number == signal) name = text;
  return concat("signal ", signal, " (", name, ")");
}

Stopped::Stopped(int signal)
    : Error("ended by " + signal_text(signal) +
            " before the work was done; existing files are unchanged, so the same command can be started again"),
      signal_(signal) {}

Signals::Signals() {
  if (alive++ > 0) return;
  first_signal = 0;
  insisted_at = 0;
  std::uint64_t count = 0;
  if (event_file < 0) event_file = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event_file < 0) fail("cannot create an eventfd for signals: ", std::strerror(errno));
  [[maybe_unused]] const ssize_t drained = ::read(event_file, &count, sizeof count);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : all_signals()) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) != 0) continue;
    const bool is_default = (old.sa_flags & SA_SIGINFO) == 0 && old.sa_handler == SIG_DFL;
    if (!is_default && !is_always_caught(signal)) continue;
    if (::sigaction(signal, &action, nullptr) != 0)
      fail("cannot set a handler for ", signal_text(signal), ": ", std::strerror(errno));
    replaced[signal] = old;
  }
}

Signals::~Signals() {
  if (--alive > 0) return;
  for (const auto& [signal, old] : replaced) ::sigaction(signal, &old, nullptr);
  replaced.clear();
  first_signal = 0;
}

int Signals::received() { return first_signal.load(std::memory_order_relaxed); }

void Signals::check() {
  if (const int signal = received(); signal != 0 && !Orderly::now()) throw Stopped(signal);
}

int Signals::event() { return event_file; }

Signals::Orderly::Orderly() { ++orderly; }
Signals::Orderly::~Orderly() { --orderly; }
bool Signals::Orderly::now() { return orderly > 0; }

}  // namespace tesserec
