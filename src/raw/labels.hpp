// SPDX-License-Identifier: Apache-2.0
/// Labels from texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tesserec/raw/row_format.hpp>

namespace tesserec::raw {

/// Returns the texts of a label in words: `1 is "yes", 0 is "no"`.
std::string label_values(const Column& column);

/// Reads a label: 0, 1, or lacking_label if the row may lack it and the text is one of `missing`. Returns why the row
/// is bad, or an empty text. Sets `is_missing` for a bad row that lacks its label.
std::string read_label(const Column& column, std::string_view field, const std::vector<std::string>& missing,
                       std::uint8_t& label, bool& is_missing);

}  // namespace tesserec::raw
