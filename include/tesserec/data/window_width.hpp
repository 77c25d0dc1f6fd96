// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::data {

/// Values that data.window takes, for messages.
inline constexpr const char* window_forms =
    "\"file\", or a whole number from 1 and a unit (seconds, minutes, hours, days), such as \"1 day\"";

/// Returns the width of the windows that `window`, a value of data.window, names, microseconds; 0 for "file". Returns
/// nothing if it has none of the window_forms.
std::optional<Index> window_width(const std::string& window);

}  // namespace tesserec::data
