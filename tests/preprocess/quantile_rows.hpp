// SPDX-License-Identifier: Apache-2.0
// Jobs with one column of quantiles, for tests.
#pragma once

#include <string>
#include <vector>

#include "jobs.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::preprocess {

/// Columns y (label), n (`quantiles` buckets).
inline Settings numbered(Index quantiles, const std::string& train, const std::string& output) {
  Settings settings;
  settings.format = RawFormat::table;
  Column number{"n", ColumnKind::category};
  number.quantiles = quantiles;
  settings.columns = {{"y", ColumnKind::label, Transform::none, {"1"}, {"0"}}, number};
  settings.train = {train};
  settings.output = output;
  return settings;
}

/// Returns the rows of a table of labels and values.
inline std::string rows_of(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) text += concat(i % 3 == 0 ? "1," : "0,", values[i], "\n");
  return text;
}

inline std::vector<std::string> texts_of(const std::string& path, const std::string& name) {
  return store::File::open(path).attribute<std::vector<std::string>>("/", name);
}

}  // namespace tesserec::preprocess
