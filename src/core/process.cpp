// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/memory_fault.hpp>
#include <tesserec/core/process.hpp>
#include <tesserec/core/signals.hpp>

namespace tesserec {

void prepare_process() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) >= 0) continue;
    // open() takes the lowest free number. The wrong access mode keeps its use an error, as for a closed file.
    if (::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file) fail("cannot open /dev/null");
  }
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGTTOU, SIGTTIN}) std::signal(signal, SIG_IGN);
}

Outcome outcome_of(const std::function<int()>& body) {
  try {
    const int code = body();
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) return {exit_code_error, "cannot write to standard output"};
    return {code, ""};
  } catch (const Stopped& stopped) {
    return {exit_code_stopped(stopped.signal()), stopped.what()};
  } catch (const MemoryFault& fault) {
    return {exit_code_memory, fault.what()};
  } catch (const std::exception& error) {
    return {exit_code_error, message_of(error)};
  } catch (...) {
    return {exit_code_error, "internal error: an exception of unknown type"};
  }
}

}  // namespace tesserec
