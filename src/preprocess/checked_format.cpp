// SPDX-License-Identifier: Apache-2.0
#include "checked_format.hpp"

#include "joins.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/preprocess/block_fault.hpp>

namespace tesserec::preprocess {

std::unique_ptr<RowFormat> make_row_format(const Settings& settings) {
  if (settings.minimum_count < 1) fail("preprocess.minimum_count must be at least 1, not ", settings.minimum_count);
  for (std::size_t j = 0; j < settings.joins.size(); ++j)
    if (const auto wrong = fault(settings.joins[j], settings))
      fail("preprocess.join.", j, ".", wrong->key, " ", wrong->text);
  return raw::make_row_format(settings, settings.joins.empty() ? nullptr : std::make_shared<Joins>(settings));
}

}  // namespace tesserec::preprocess
