// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/row_format.hpp>

namespace tesserec::preprocess {

/// Checks [preprocess] and makes the format that it names, with the side tables of its joins, which are read. Throws
/// Error, naming the key.
std::unique_ptr<RowFormat> make_row_format(const Settings& settings);

}  // namespace tesserec::preprocess
