// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include <tesserec/core/error.hpp>
#include <tesserec/train/signals.hpp>

namespace tesserec::train {
namespace {

volatile std::sig_atomic_t last_signal = 0;
int alive = 0;  // objects of Signals

void on_signal(int signal) {
  if (last_signal != 0 && signal != SIGUSR1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  last_signal = signal;
}

void set_all(void (*handler)(int)) {
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1})
    if (std::signal(signal, handler) == SIG_ERR) fail("cannot set a handler for signal ", signal);
}

}  // namespace

Signals::Signals() {
  if (alive++ > 0) return;
  last_signal = 0;
  set_all(on_signal);
}

Signals::~Signals() {
  if (--alive > 0) return;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) std::signal(signal, SIG_DFL);
}

int Signals::received() { return last_signal; }

}  // namespace tesserec::train
