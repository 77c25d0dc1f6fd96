// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tesserec {

/// Asks the kernel for 2 MiB pages in [data, data + bytes). Returns false if the kernel refused, which is harmless.
bool advise_huge_pages(void* data, std::size_t bytes);

/// Returns why this process gets no huge pages: the kernel refused them for a number of bytes, or they are switched off
/// for the process or the machine. Empty if no reason is known, or if the process asked for none.
std::string huge_pages_refused();

}  // namespace tesserec
