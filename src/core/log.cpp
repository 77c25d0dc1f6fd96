// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <unistd.h>

#include <tesserec/core/log.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec {
namespace {

struct Console {
  int rank = 0;
  bool terminal = isatty(STDERR_FILENO) != 0;
  std::size_t shown = 0;  // characters of the progress line on the terminal
  double last_plain = -1e9;
};

Console& console() {
  static Console instance;
  return instance;
}

void end_progress() {
  if (console().shown > 0) std::fputc('\n', stderr);
  console().shown = 0;
}

}  // namespace

void set_log_rank(int rank) { console().rank = rank; }

void log_info(const std::string& line) {
  if (console().rank != 0) return;
  end_progress();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void log_warning(const std::string& line) {
  end_progress();
  std::fprintf(stderr, "warning: %s\n", line.c_str());
}

void log_progress(const std::string& line, bool last) {
  Console& s = console();
  if (s.rank != 0) return;
  if (s.terminal) {
    const std::size_t pad = s.shown > line.size() ? s.shown - line.size() : 0;
    std::fprintf(stderr, "\r%s%s", line.c_str(), std::string(pad, ' ').c_str());
    s.shown = line.size();
    if (last) end_progress();
    std::fflush(stderr);
  } else if (const double now = seconds_now(); last || now - s.last_plain >= 10.0) {
    std::fprintf(stderr, "%s\n", line.c_str());
    s.last_plain = now;
  }
}

}  // namespace tesserec
