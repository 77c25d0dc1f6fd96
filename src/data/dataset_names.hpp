// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/store/parted_file.hpp>

namespace tesserec::data {

/// Error when the names that a data set's attribute holds are not what the deck would take for tables: they become
/// parts of files, plans and reports. No name may stand twice.
void require_names(const std::string& path, const char* attribute, const std::vector<std::string>& names);

/// Error when /sparse holds the ids in both forms, or ids of something that is no feature.
void require_one_form(const store::File& file, const std::vector<std::string>& features, bool packed);

/// Error when the offsets of a jagged feature do not begin at 0 or do not end at `values`, the number of its ids.
void require_offsets(const store::PartedFile& file, const std::string& offsets, Index samples, Index values);

}  // namespace tesserec::data
