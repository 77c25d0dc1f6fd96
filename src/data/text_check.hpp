// SPDX-License-Identifier: Apache-2.0
/// Recognises files that are no click logs.
#pragma once

#include <string>
#include <string_view>

namespace tesserec::data {

/// Tells from the first bytes of a file, unpacked from gzip, why it cannot be read as lines of UTF-8 text, and what to
/// do; "" where it can. Knows UTF-16 and UTF-32, lines that end in carriage returns alone, and the usual archives,
/// compressed and binary formats by their magic numbers.
std::string why_not_text(std::string_view beginning);

}  // namespace tesserec::data
