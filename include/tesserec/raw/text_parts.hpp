// SPDX-License-Identifier: Apache-2.0
/// One text for several, such as the values of a cross or the key of a side table.
#pragma once

#include <string>
#include <string_view>

namespace tesserec::raw {

/// Character between parts, the unit separator of ASCII.
inline constexpr char part_separator = '\x1F';
/// Character before a separator, or before this character, that belongs to a part.
inline constexpr char part_escape = '\x1E';

/// Appends a part, which may have any characters, so that lists of equal length make one text only if they are equal.
inline void append_part(std::string_view part, std::string& text) {
  constexpr char special[] = {part_separator, part_escape};
  while (!part.empty()) {
    const std::size_t stop = part.find_first_of(std::string_view(special, sizeof special));
    text += part.substr(0, stop);
    if (stop == std::string_view::npos) return;
    text += part_escape;
    text += part[stop];
    part.remove_prefix(stop + 1);
  }
}

}  // namespace tesserec::raw
