// SPDX-License-Identifier: Apache-2.0
/// `tables` and `features` of result.json (docs/formats.md).
#pragma once

#include <vector>

#include <tesserec/core/json.hpp>
#include <tesserec/train/table_figures.hpp>

namespace tesserec::app {

Json tables_json(const std::vector<train::TableFigures>& tables);

/// `files`: whether the samples are of files, whose id 0 means unknown or missing.
Json features_json(const std::vector<train::FeatureIds>& features, bool files);

}  // namespace tesserec::app
