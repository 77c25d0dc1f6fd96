// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

#include "catch.hpp"
#include <tesserec/core/log.hpp>

using namespace tesserec;

namespace {

/// A redirection of stderr to another file for this object's lifetime.
class Stderr {
 public:
  explicit Stderr(int file) : before_(dup(STDERR_FILENO)) {
    dup2(file, STDERR_FILENO);
    close(file);
  }
  ~Stderr() {
    dup2(before_, STDERR_FILENO);
    close(before_);
  }
  Stderr(const Stderr&) = delete;
  Stderr& operator=(const Stderr&) = delete;

 private:
  int before_;
};

}  // namespace

TEST_CASE("log_lines_lost: counts unwritten lines and the next written line reports them") {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const std::int64_t lost = log_lines_lost();
  {
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    close(pipe_ends[0]);
    const Stderr nobody_reads(pipe_ends[1]);
    log_info("one");
    log_warning("two");
    log_error("three");
  }
  CHECK(log_lines_lost() == lost + 3);
  {
    const Stderr full(open("/dev/full", O_WRONLY));
    log_info("four");
  }
  CHECK(log_lines_lost() == lost + 4);
  {
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK);
    while (write(pipe_ends[1], "full", 4) > 0) continue;
    fcntl(pipe_ends[1], F_SETFL, 0);
    const Stderr stalled(pipe_ends[1]);
    log_error("an error waits for no reader that has stopped");
    close(pipe_ends[0]);
  }
  CHECK(log_lines_lost() == lost + 5);
  const std::string path = "log_test." + std::to_string(getpid());
  {
    const Stderr file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    log_info("five");
    log_info("six");
  }
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::remove(path.c_str());
  CHECK(text == "warning: 5 lines of this log could not be written: Resource temporarily unavailable\nfive\nsix\n");
  CHECK(log_lines_lost() == lost + 5);
  std::signal(SIGPIPE, before);
}

TEST_CASE("log_common_warning: writes on rank 0 only") {
  const std::string path = "log_test." + std::to_string(getpid());
  {
    const Stderr file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    set_log_rank(1);
    log_common_warning("seen by all");
    log_warning("seen by one");
    set_log_rank(0);
    log_common_warning("seen by all");
  }
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::remove(path.c_str());
  CHECK(text == "warning: seen by one\nwarning: seen by all\n");
}
