// SPDX-License-Identifier: Apache-2.0
/// Search for the columns of a delimited table by the names in its header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tesserec/raw/row_format.hpp>
#include <tesserec/raw/settings.hpp>

namespace tesserec::raw {

/// Returns the rules of [preprocess] for the text of tables. Throws Error, naming the key.
TextRules text_rules(const RowSettings& settings);

/// Returns a hint at the delimiter that a line of a single field seems to have instead, or an empty text.
std::string delimiter_hint(std::string_view line, std::size_t fields, char delimiter);

/// Appends the trimmed names in a header. Returns why its quotes are wrong, or "".
std::string header_names(std::string_view line, const TextRules& rules, std::vector<std::string>& names);

/// Finds the field of each column by the header's names. `file` must list the columns in order and stays so if the
/// names do; names of skipped columns are then free. Returns why the header does not fit, or "". Faults are a missing
/// or repeated column and, unless `skip_others`, an unknown name. `joined`: number of names at the end of `names` that
/// side tables bring, which are no fields of the file.
std::string find_named(const std::vector<Column>& columns, const std::vector<std::string>& names, std::size_t joined,
                       bool skip_others, FileColumns& file);

/// Returns whether the name of a column contains '*'.
bool has_pattern(const std::vector<Column>& columns);

/// Replaces each column with '*' by the `names` that it matches, in natural order (C2 before C10). Skips names in
/// `columns` and names that an earlier pattern matched. Throws Error, naming the header's place `where`, for a pattern
/// without a match.
std::vector<Column> expanded(const std::vector<Column>& columns, const std::vector<std::string>& names,
                             const std::string& where);

}  // namespace tesserec::raw
