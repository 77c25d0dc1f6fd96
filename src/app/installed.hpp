// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::app {

/// Returns lines that say where an installed program has its decks and documentation; "" of a program that is not
/// installed.
std::string installed_files();

}  // namespace tesserec::app
