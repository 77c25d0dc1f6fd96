// SPDX-License-Identifier: Apache-2.0
/// Rows of the schema for raw rows: keys of [preprocess], [[preprocess.column]] and [[preprocess.sequence]].
#pragma once

#include <string>
#include <vector>

#include <tesserec/raw/settings.hpp>
#include <tesserec/schema/key.hpp>

namespace tesserec::schema {

/// Returns the keys of [preprocess]. Those that say nothing about a row are left to the job, whose deck puts its own
/// keys in their place.
Keys<raw::RowSettings> row_settings_keys();
/// Returns the keys of [[preprocess.column]].
Keys<raw::Column> column_keys();
/// Returns the keys of [[preprocess.sequence]].
Keys<raw::UserSequence> sequence_keys();

/// Reads what [preprocess] of a deck's text, such as the effective deck in a checkpoint, says about rows. `name` stands
/// for the file in messages. Ignores the keys of the job. Throws Error "file:line: block.key ...".
raw::RowSettings read_rows(const std::string& text, const std::string& name);
/// Returns whether a deck's text has sizes in data.multi_hot_sizes.
bool makes_bags(const std::string& text, const std::string& name);
/// Returns data.train of a deck's text, as it stands there.
std::vector<std::string> training_data(const std::string& text, const std::string& name);

}  // namespace tesserec::schema
