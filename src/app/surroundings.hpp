// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tesserec::app {

/// Makes what a shell may leave out or take away harmless: opens whichever of stdin, stdout and stderr is closed, so
/// that no file of the program gets its number and the log with it, and ignores the signals that would end or stop the
/// process for what a write or read can report: SIGPIPE, SIGXFSZ, SIGTTOU, SIGTTIN.
void settle_in();

}  // namespace tesserec::app
