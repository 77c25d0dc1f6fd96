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

/// Sets fields and places of `file` by the names of its header. A file whose names stand in the order of the columns
/// may call those to skip as it likes. Returns why the header does not fit, or an empty text: a column that it lacks
/// or has twice, and, without `skip_others`, names that no column has.
std::string find_named(const std::vector<Column>& columns, const std::vector<std::string_view>& names, bool skip_others,
                       FileColumns& file);

bool has_pattern(const std::vector<Column>& columns);

/// Replaces each column with '*' in its name by one for each of `names` that it matches, which are in ascending order,
/// digits by their number: C2 before C10. A name that stands in `columns` itself is no match; of several patterns the
/// first takes it. Error, about `path`: a pattern without a match.
std::vector<Column> expanded(const std::vector<Column>& columns, const std::vector<std::string_view>& names,
                             const std::string& path);

}  // namespace tesserec::data
