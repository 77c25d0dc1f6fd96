// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tesserec {

/// Asks the kernel for 2 MiB pages under [data, data + bytes); returns whether it agreed. A no is harmless.
bool advise_huge_pages(void* data, std::size_t bytes);

/// Why the huge pages that this process asked for will not come: refused for so many bytes, or switched off for the
/// process or the machine. Empty: nothing is known against them, or none were asked for.
std::string huge_pages_refused();

}  // namespace tesserec
