// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::emulated {

/// Prints "emulated device: TEXT" on standard error, with the kernel, block and thread that run, and ends the process
/// with exit code `fault_code`. A kernel that has gone wrong cannot be left otherwise: its threads stand on stacks of
/// their own.
[[noreturn]] void fault(const std::string& text);
inline constexpr int fault_code = 70;

}  // namespace tesserec::emulated
