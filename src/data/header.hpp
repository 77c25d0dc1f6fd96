// SPDX-License-Identifier: Apache-2.0
/// The columns of a delimited table by the names in its header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "row_format.hpp"
#include <tesserec/data/settings.hpp>

namespace tesserec::data {

/// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

/// The character of preprocess.delimiter. Error: it is none.
char delimiter_of(const PreprocessSettings& settings);

std::vector<std::string_view> header_names(std::string_view line, char delimiter);

/// Finds `file`'s fields by its header's names; names to skip are free if all stand in the columns' order. Returns why
/// the header does not fit, or "": a column missing or twice, and, without `skip_others`, unknown names.
std::string find_named(const std::vector<Column>& columns, const std::vector<std::string_view>& names, bool skip_others,
                       FileColumns& file);

bool has_pattern(const std::vector<Column>& columns);

/// Replaces each column with '*' by the `names` that it matches, in natural order (C2 before C10). Skips names in
/// `columns` and those that an earlier pattern took. Error, about `path`: a pattern without a match.
std::vector<Column> expanded(const std::vector<Column>& columns, const std::vector<std::string_view>& names,
                             const std::string& path);

}  // namespace tesserec::data
