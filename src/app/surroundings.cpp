// SPDX-License-Identifier: Apache-2.0
#include "surroundings.hpp"

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include <tesserec/core/error.hpp>

namespace tesserec::app {

void settle_in() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) >= 0) continue;
    // The lowest free number is taken. Using it stays an error, as of a closed file.
    if (::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file) fail("cannot open /dev/null");
  }
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGTTOU, SIGTTIN}) std::signal(signal, SIG_IGN);
}

}  // namespace tesserec::app
