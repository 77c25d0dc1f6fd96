// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <tesserec/raw/row_format.hpp>

namespace tesserec::raw {

/// Makes one format. Throws Error for settings that it does not take.
std::unique_ptr<RowFormat> make_criteo_format(const RowSettings& settings);
std::unique_ptr<RowFormat> make_table_format(const RowSettings& settings, std::shared_ptr<SideColumns> side);

}  // namespace tesserec::raw
