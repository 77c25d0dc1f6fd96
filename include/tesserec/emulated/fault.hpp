// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::emulated {

/// Prints "emulated device: TEXT" with the running kernel, block and thread on stderr, and exits with `fault_code`. An
/// exception could not leave the kernel, whose threads run on stacks of their own.
[[noreturn]] void fault(const std::string& text);
inline constexpr int fault_code = 70;

}  // namespace tesserec::emulated
