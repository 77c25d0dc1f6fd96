// SPDX-License-Identifier: Apache-2.0
/// Values of a table's fields: numbers, weights and buckets, from their texts.
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <tesserec/raw/settings.hpp>

namespace tesserec::raw {

/// Returns the name of a kind or a transform, as decks have it.
const char* kind_name(ColumnKind kind);
const char* transform_name(Transform transform);

/// Parses a whole text as std::from_chars does, but a number too small for the type becomes the nearest one, perhaps 0.
/// Returns invalid_argument for a text that is no number, result_out_of_range for one that is too large.
std::errc parse_float(std::string_view text, float& value);
std::errc parse_float(std::string_view text, double& value);

/// Parses a number of the range of floats. Returns why the text is none, such as "is not a number", or "".
std::string number_fault(std::string_view text, double& value);

/// Cuts ":WEIGHT" from a value that has a ':'. Returns false if that is no valid weight.
bool take_weight(std::string_view& value, float& weight);

/// Returns the shortest text that reads back to the number, without a fraction of 0.
std::string number_text(double number);
std::string number_text(float number);

/// Returns the texts of the buckets between ascending borders: "below A", "A to B", ..., "from Z".
std::vector<std::string> bucket_texts(const std::vector<double>& borders);

}  // namespace tesserec::raw
