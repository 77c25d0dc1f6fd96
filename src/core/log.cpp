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
  std::int64_t lost = 0, told = 0;  // lines not written, and how many of them were reported
  int reason = 0;                   // errno of the last loss
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
  constexpr int look = 100, patience = 1000;  // ms
  int waited = 0;
  for (std::size_t done = 0; done < text.size();) {
    pollfd room{STDERR_FILENO, POLLOUT, 0};
    const bool has_room = ::poll(&room, 1, look) > 0;
    const std::size_t some =
        std::min<std::size_t>(text.size() - done, PIPE_BUF);  // A writable pipe takes so much at once.
    const ssize_t written = has_room ? ::write(STDERR_FILENO, text.data() + done, some) : -1;
    if (written >= 0) {
      done += std::size_t(written);
    } else if (has_room && errno != EINTR && errno != EAGAIN) {
      return errno;
    } else if ((errors_waiting > 0 || Signals::received() != 0) && (waited += look) >= patience) {
      return EAGAIN;
    }
  }
  return 0;
}

// Writes a line, after a warning if earlier lines were lost. A failed write is counted and does not end the program.
void write_line(Console& s, const std::string& line) {
  std::string text = std::exchange(s.shown, 0) > 0 ? "\n" : "";
  if (s.told < s.lost)
    text += concat("warning: ", counted(s.lost - s.told, "line"),
                   " of this log could not be written: ", std::strerror(s.reason), "\n");
  text += printable(line) + "\n";
  if (const int error = write_all(text); error != 0) {
    ++s.lost;
    s.reason = error;
  } else {
    s.told = s.lost;
  }
}

}  // namespace

void set_log_rank(int rank) { console().rank = rank; }

void log_info(const std::string& line) {
  Console& s = console();
  const std::lock_guard lock(s.mutex);
  if (s.rank == 0) write_line(s, line);
}

void log_warning(const std::string& line) {
  Console& s = console();
  const std::lock_guard lock(s.mutex);
  write_line(s, "warning: " + line);
}

void log_error(const std::string& line) {
  Console& s = console();
  ++errors_waiting;
  {
    const std::lock_guard lock(s.mutex);
    write_line(s, "tesserec: " + line);
  }
  --errors_waiting;
}

void log_progress(const std::string& line, bool last) {
  Console& s = console();
  const std::lock_guard lock(s.mutex);
  if (s.rank != 0) return;
  if (s.terminal) {
    const std::size_t pad = s.shown > line.size() ? s.shown - line.size() : 0;
    write_all(
        concat("\r", printable(line), std::string(pad, ' '), last ? "\n" : ""));  // The next line replaces a lost one.
    s.shown = last ? 0 : line.size();
  } else if (const double now = seconds_now(); last || now - s.last_plain >= 10.0) {
    write_line(s, line);
    s.last_plain = now;
  }
}

std::int64_t log_lines_lost() {
  Console& s = console();
  const std::lock_guard lock(s.mutex);
  return s.lost;
}

}  // namespace tesserec
