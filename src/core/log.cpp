// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include <tesserec/core/log.hpp>
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
  std::int64_t lost = 0, told = 0;  // lines that were not written, and those of them that a later line told of
  int reason = 0;                   // errno of the last of them
};

Console& console() {
  static Console instance;
  return instance;
}

// 0, or the errno for which not all of it was written. A reader that has no room is waited for, a file that another
// process made non-blocking for a second.
int write_all(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (written >= 0) {
      done += std::size_t(written);
    } else if (errno == EAGAIN) {
      pollfd room{STDERR_FILENO, POLLOUT, 0};
      if (::poll(&room, 1, 1000) == 0) return EAGAIN;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Whatever becomes of the log, what it tells of goes on.
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
  const std::lock_guard lock(s.mutex);
  write_line(s, "tesserec: " + line);
}

void log_progress(const std::string& line, bool last) {
  Console& s = console();
  const std::lock_guard lock(s.mutex);
  if (s.rank != 0) return;
  if (s.terminal) {
    const std::size_t pad = s.shown > line.size() ? s.shown - line.size() : 0;
    write_all(concat("\r", printable(line), std::string(pad, ' '), last ? "\n" : ""));  // the next one says the same, or more
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
