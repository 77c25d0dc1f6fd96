// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <tesserec/core/error.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::data {

void Source::limit_rows(const std::vector<Index>& rows) {
  const SourceInfo& source = info();
  assert(rows.size() == source.rows.size());
  for (std::size_t f = 0; f < rows.size(); ++f)
    if (rows[f] < source.rows[f])
      fail("feature ", source.features[f], " of ", source.description, " has ids up to ", source.rows[f] - 1,
           ", but its table has ", rows[f], " rows; give the table ", source.rows[f], " rows or more");
}

void Source::limit_labels(const LabelRange&) {}

OddValues Source::look_through() { return {}; }

}  // namespace tesserec::data
