// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::app {

/// Leaves files as the end of the process must, from whatever thread ends it without unwinding: the folder of a run
/// that has begun tells the message, and drafts go. Gives up after some seconds, for a file system may not answer.
/// Never throws.
void last_words(const std::string& message);

}  // namespace tesserec::app
