// SPDX-License-Identifier: Apache-2.0
#include "checked_format.hpp"

#include "joins.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/preprocess/block_fault.hpp>

namespace tesserec::preprocess {

std::unique_ptr<RowFormat> make_row_format(const Settings& settings) {
  if (settings.minimum_count < 1) fail("preprocess.minimum_count must be at least 1, not ", settings.minimum_count);
  for (const Join& join : settings.joins)
    if (const auto wrong = fault(join, settings)) fail("preprocess.join.", wrong->key, " ", wrong->text);
  return raw::make_row_format(settings, settings.joins.empty() ? nullptr : std::make_shared<Joins>(settings));
}

}  // namespace tesserec::preprocess
