// SPDX-License-Identifier: Apache-2.0
/// The files that a data set is made of.
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/dataset.hpp>

namespace tesserec::data {

struct DatasetFiles {
  SourceInfo info;
  bool packed = true;
  std::vector<DatasetPart> parts;
};

/// Opens the files that `patterns` name. Errors as those of Dataset::Dataset.
DatasetFiles open_dataset(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust);

}  // namespace tesserec::data
