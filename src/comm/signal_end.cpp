// SPDX-License-Identifier: Apache-2.0
#include "signal_end.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <tesserec/comm/environment.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>

namespace tesserec::comm {
namespace {

// Milliseconds: longer than a rank that was stopped in order waits for the others (verdict.hpp); ranks come one after
// the other, so that one speaks. The first one has time to leave its files.
constexpr int grace = 3000, first_rank = 500, next_rank = 20, look = 50;

}  // namespace

SignalEnd::SignalEnd(const Communicator& last_word)
    : last_word_(last_word), over_(::eventfd(0, EFD_CLOEXEC)), thread_([this] { watch(); }) {
  if (over_ < 0) fail("eventfd: the system gives no file for a thread");
}

SignalEnd::~SignalEnd() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(over_, &one, sizeof one);
  thread_.join();
  ::close(over_);
}

bool SignalEnd::is_over(int milliseconds) const {
  pollfd files[] = {{over_, POLLIN, 0}, {Signals::event(), POLLIN, 0}};
  while (::poll(files, milliseconds < 0 ? 2 : 1, milliseconds) < 0) {
  }
  return files[0].revents != 0;
}

void SignalEnd::watch() {
  if (is_over(-1)) return;
  const int rank = last_word_.rank();
  for (int waited = 0; waited < grace + (rank > 0 ? first_rank + rank * next_rank : 0); waited += look) {
    if (is_over(look)) return;
    if (Signals::Orderly::now()) waited = 0;
  }
  const int signal = Signals::received();
  abort(last_word_, exit_code_stopped(signal), Stopped(signal).what());
}

}  // namespace tesserec::comm
