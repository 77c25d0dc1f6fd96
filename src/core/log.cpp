// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec {
namespace {

struct Console {
  std::mutex mutex;
  int rank = 0;
  bool terminal = isatty(STDERR_FILENO) != 0;
  std::size_t shown = 0;  // characters of the progress line on the terminal
  double last_plain = -1e9;
  std::int64_t lost = 0, reported = 0;  // lines not written, and how many of them were reported
  int reason = 0;                       // errno of the last loss
};

Console& console() {
  static Console instance;
  return instance;
}

std::atomic<int> errors_waiting = 0;  // calls of log_error() that have not finished

// Writes to stderr. Returns 0, or the errno for which not all of the text was written. Blocks while the reader's buffer
// is full. After a signal, or while an error is to be written, it blocks for 1 s at most, so that the program's end
// does not hang on a log that nobody reads.
int write_all(const std::string& text) {
  constexpr int poll_ms = 100, max_wait_ms = 1000;
  int waited_ms = 0;
  for (std::size_t done = 0; done < text.size();) {
    pollfd file{STDERR_FILENO, POLLOUT, 0};
    const bool is_writable = ::poll(&file, 1, poll_ms) > 0;
    const std::size_t bytes =
        std::min<std::size_t>(text.size() - done, PIPE_BUF);  // A writable pipe takes so much at once.
    const ssize_t written = is_writable ? ::write(STDERR_FILENO, text.data() + done, bytes) : -1;
    if (written >= 0) {
      done += std::size_t(written);
    } else if (is_writable && errno != EINTR && errno != EAGAIN) {
      return errno;
    } else if ((errors_waiting > 0 || Signals::received() != 0) && (waited_ms += poll_ms) >= max_wait_ms) {
      return EAGAIN;
    }
  }
  return 0;
}

// Writes a line, after a warning if earlier lines were lost. A failed write is counted and does not end the program.
void write_line(Console& state, const std::string& line) {
  std::string text = std::exchange(state.shown, 0) > 0 ? "\n" : "";
  if (state.reported < state.lost)
    text += concat("warning: ", counted(state.lost - state.reported, "line"),
                   " of this log could not be written: ", std::strerror(state.reason), "\n");
  text += printable(line) + "\n";
  if (const int error = write_all(text); error != 0) {
    ++state.lost;
    state.reason = error;
  } else {
    state.reported = state.lost;
  }
}

}  // namespace

void set_log_rank(int rank) { console().rank = rank; }

void log_info(const std::string& line) {
  Console& state = console();
  const std::lock_guard lock(state.mutex);
  if (state.rank == 0) write_line(state, line);
}

void log_warning(const std::string& line) {
  Console& state = console();
  const std::lock_guard lock(state.mutex);
  write_line(state, "warning: " + line);
}

void log_common_warning(const std::string& line) { log_info("warning: " + line); }

void log_error(const std::string& line) {
  Console& state = console();
  ++errors_waiting;
  {
    const std::lock_guard lock(state.mutex);
    write_line(state, "tesserec: " + line);
  }
  --errors_waiting;
}

void log_progress(const std::string& line, bool last) {
  Console& state = console();
  const std::lock_guard lock(state.mutex);
  if (state.rank != 0) return;
  if (state.terminal) {
    const std::size_t pad = state.shown > line.size() ? state.shown - line.size() : 0;
    write_all(
        concat("\r", printable(line), std::string(pad, ' '), last ? "\n" : ""));  // The next line replaces a lost one.
    state.shown = last ? 0 : line.size();
  } else if (const double now = seconds_now(); last || now - state.last_plain >= 10.0) {
    write_line(state, line);
    state.last_plain = now;
  }
}

std::int64_t log_lines_lost() {
  Console& state = console();
  const std::lock_guard lock(state.mutex);
  return state.lost;
}

}  // namespace tesserec
