// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/deck/suggest.hpp>

namespace tesserec::deck {

/// Throws "where: path is unknown; did you mean ...?": first among `siblings` (names in the same block), then
/// the same name in another block, then any key; without a near one it lists the siblings.
[[noreturn]] void fail_unknown(const std::string& where, const std::string& prefix, const std::string& name,
                               const std::vector<std::string>& siblings);

}  // namespace tesserec::deck
